// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesManifest
import EavesRules

/// The verifying process's request to the probe.
struct ProbeRequest: Hashable, Codable, Sendable {
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
}

/// The first message that a probe gets.
struct ProbeOpening: Hashable, Codable, Sendable {
    let request: ProbeRequest
    /// The word that the crash handler's reports end with.
    let secret: String
    /// The word that the first report has to bring.
    let token: String
}
