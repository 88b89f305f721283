// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesSystem

extension Subcommand {
    /// `eaves open LINK [ARG…]`
    static let open = Subcommand(
        name: "open",
        summary: "open a link",
        operands: "LINK [ARG…]",
        operandCount: 1...Int.max,
        options: launchOptions,
        stopsAtOperand: true,
        discussion: """
            Runs the feature that the manifest names under 'open', with the link and the arguments, and
            exits with its exit code. The feature decides what a link is: the shipped one opens the screens
            of a link such as 'eaves://login/home'.
            """,
        run: .asynchronous(prepare: { try $0.prepareLaunch() }) { try await $0.open() })
}

extension SubcommandCall {
    fileprivate func open() async throws -> Int32 {
        let manifest = try options.choosingManifest(terminal)
        guard let feature = manifest.open else {
            throw CommandError.noLinkFeature(
                manifest: Path.relative(manifest.path, to: Path.current))
        }
        return try await launch(feature, options.operands, of: manifest)
    }
}
