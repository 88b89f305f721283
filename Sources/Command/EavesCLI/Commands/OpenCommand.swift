// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesSystem

/// `eaves open LINK [ARG…]`
struct OpenCommand: AsynchronousSubcommand {
    static let name = "open"
    static let summary = "open a link"
    static let operands = "LINK [ARG…]"
    static let operandCount = 1...Int.max
    static let options = LaunchCommand.options
    static let stopsAtOperand = true
    static let discussion = """
        Runs the feature that the manifest names under 'open', with the link and the arguments, and
        exits with its exit code. The feature decides what a link is: the shipped one opens the screens
        of a link such as 'eaves://login/home'.
        """

    private let options: ParsedOptions

    init(_ options: ParsedOptions) {
        self.options = options
    }

    func prepare() throws { try LaunchCommand.prepare(options) }

    func run(_ terminal: Terminal) async throws -> Int32 {
        let manifest = try options.choosingManifest(terminal)
        guard let feature = manifest.open else {
            throw CommandError.noLinkFeature(
                manifest: Path.relative(manifest.path, to: Path.current))
        }
        return try await LaunchCommand.launch(
            feature, options.operands, of: manifest, options, terminal)
    }
}
