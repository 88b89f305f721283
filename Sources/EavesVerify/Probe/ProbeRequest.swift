// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesJSON
import EavesManifest

/// What the verifying process asks of the probe, handed over as JSON on the command line.
struct ProbeRequest: Hashable, Sendable {
    /// The module's id.
    var id: String
    /// Its file, as people see it.
    var path: String
    /// Its file, as an absolute path.
    var file: String
    /// What the manifest pins.
    var sha256: String?
    /// The manifest's path; `nil` for a file that no manifest is asked about.
    var manifest: String?
    /// The ids of the checks to run, in order.
    var checks: [String]
    /// The feature to launch, for the checks that launch one.
    var feature: String?

    init(_ subject: Subject, checks: [String], feature: String? = nil) {
        id = subject.entry.id
        path = subject.entry.path
        file = subject.entry.file
        sha256 = subject.entry.sha256
        manifest = subject.manifest?.path
        self.checks = checks
        self.feature = feature
    }

    /// - Returns: `nil` if it is not what ``json`` makes.
    init?(json: String) {
        guard let root = try? JSONNode.parse(Array(json.utf8)), let id = root["id"]?.string,
            let path = root["path"]?.string, let file = root["file"]?.string,
            let checks = root["checks"]?.elements
        else { return nil }
        self.id = id
        self.path = path
        self.file = file
        self.checks = checks.compactMap(\.string)
        sha256 = root["sha256"]?.string
        manifest = root["manifest"]?.string
        feature = root["feature"]?.string
    }

    var json: String {
        func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
        let json: JSON = [
            "id": .string(id), "path": .string(path), "file": .string(file),
            "sha256": text(sha256), "manifest": text(manifest),
            "checks": .array(checks.map { .string($0) }), "feature": text(feature),
        ]
        return json.text(pretty: false)
    }
}
