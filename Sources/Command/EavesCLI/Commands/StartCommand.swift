// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest
import EavesOutput

extension Subcommand {
    /// `eaves` without a subcommand: launches the manifest's feature, or shows the overview if there is none.
    ///
    /// The overview comes with the exit code of a wrong command line: a script that calls `eaves` so has done
    /// nothing.
    static let start = Subcommand(
        name: "",
        summary: "start the application",
        options: [.manifest],
        discussion: "",
        run: .asynchronous { try await $0.start() })
}

extension SubcommandCall {
    fileprivate func start() async throws -> Int32 {
        let manifest: Manifest
        do {
            manifest = try options.manifest()
        } catch CommandError.noManifest {
            return try overview()
        }
        guard let feature = manifest.launch else { return try overview() }
        return try await launch(feature, [], of: manifest)
    }

    private func overview() throws -> Int32 {
        try terminal.write(Help.overview)
        return FailureCode.usage.rawValue
    }
}
