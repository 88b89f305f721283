// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesJSON
import EavesManifest
import EavesRules

/// The verifying process's request to the probe, handed over as JSON on the command line.
struct ProbeRequest: Hashable, Sendable {
    /// The module's id.
    var id: String
    /// Its file as the user sees it.
    var path: String
    /// Its file, as an absolute path.
    var file: String
    /// The digest that the manifest pins.
    var sha256: String?
    /// The manifest's path; `nil` if there is none.
    var manifest: String?
    /// The ids of the checks to run, in order.
    var checks: [String]
    /// The feature to launch, for checks that launch one.
    var feature: String?
    /// The rights that the module keeps, with absolute paths; `nil` if it keeps those of the user.
    var permissions: Permissions?

    init(
        _ module: InspectedModule, checks: [String], feature: String? = nil,
        permissions: Permissions? = nil
    ) {
        id = module.entry.id
        path = module.entry.path
        file = module.entry.file
        sha256 = module.entry.sha256
        manifest = module.manifest?.path
        self.checks = checks
        self.feature = feature
        self.permissions = permissions
    }

    /// - Returns: `nil` if the text is not one that ``json`` makes.
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
        if let node = root["permissions"], node.value != .null {
            guard let permissions = Permissions(node) else { return nil }
            self.permissions = permissions
        }
    }

    var json: String {
        func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
        let json: JSON = [
            "id": .string(id), "path": .string(path), "file": .string(file),
            "sha256": text(sha256), "manifest": text(manifest),
            "checks": .array(checks.map { .string($0) }), "feature": text(feature),
            "permissions": permissions?.json ?? .null,
        ]
        return json.text(pretty: false)
    }
}
