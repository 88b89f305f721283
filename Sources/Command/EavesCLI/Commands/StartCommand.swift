// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest

/// `eaves` without a subcommand: launches the manifest's feature, or shows the overview if there is none.
///
/// The overview comes with the exit code of a wrong command line: a script that calls `eaves` so has done
/// nothing.
struct StartCommand: AsynchronousSubcommand {
    static let name = ""
    static let summary = "start the application"
    static let operands = ""
    static let operandCount = 0...0
    static let options: [OptionSpec] = [.manifest]
    static let discussion = ""

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func run(_ terminal: Terminal) async throws -> Int32 {
        let manifest: Manifest
        do {
            manifest = try options.manifest()
        } catch CommandError.noManifest {
            return try overview(terminal)
        }
        guard let feature = manifest.launch else { return try overview(terminal) }
        return try await LaunchCommand.launch(feature, [], of: manifest, options, terminal)
    }

    private func overview(_ terminal: Terminal) throws -> Int32 {
        try terminal.write(Help.overview)
        return FailureCode.usage.rawValue
    }
}
