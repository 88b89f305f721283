// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesManifest
import EavesOutput

extension Subcommand {
    /// `eaves swap SERVICE MODULE`
    static let swap = Subcommand(
        name: "swap",
        summary: "bind a service to another implementation",
        operands: "SERVICE MODULE",
        operandCount: 2...2,
        completed: [.service, .provider],
        options: [.canary, .discardState, HostVerdict.option, .manifest],
        changesManifest: true,
        discussion: """
            Writes the binding into the manifest, in one step. The next launch uses it, and a host that
            stays up takes it on at once. It takes the place of weights, too. The manifest stays as it was
            if the module cannot provide the service, or the host would not load its file. The next launch
            builds a module that was not built yet. 'eaves rollback' undoes it. 'SERVICE#NAME' binds the
            implementation of that name.

            With '--canary', the module that the service is bound to keeps the rest of the calls. A host
            that stays up draws at each call, and takes the share back if the module proves to be bad.
            'eaves swap' without it gives the module all calls.

            With '--wait', the command ends when running hosts have taken the swap on, and fails as they do.

            A host that stays up hands the state of the old module over, and refuses the swap if the new one
            cannot take it on, unless '--discard-state' says that it may be lost.
            """,
        run: .synchronous { try $0.swap() })
}

extension OptionSpec {
    fileprivate static let canary = OptionSpec(
        "canary", value: "SHARE", help: "let the module have this share of the calls, such as 10%")
    fileprivate static let discardState = OptionSpec(
        "discard-state", help: "give up state that the new module cannot take on")
}

extension SubcommandCall {
    fileprivate func swap() throws -> Int32 {
        let manifest = try options.manifest()
        return try HostVerdict(options).after(manifest, options.operands, terminal) {
            try swap(manifest)
        }
    }

    private func swap(_ manifest: Manifest) throws -> Int32 {
        let (service, module) = (options.operands[0], options.operands[1])
        let host = try Host(manifest: manifest)
        let discardsState = options.has(.discardState)
        if let share = options.value(.canary) {
            guard !discardsState else { throw CommandError.canaryWithoutState }
            let swap = try host.swap(
                service, canary: module, share: CanaryShare(share).fraction)
            terminal.say(swap?.message ?? "\(module) has that share of \(service) already")
            return 0
        }
        let swap = try host.swap(service, to: module, discardingState: discardsState)
        terminal.say(swap?.message ?? "\(service) is already bound to \(module)")
        if discardsState {
            terminal.say(
                "a running host may lose state that \(module) cannot take on, until the next swap to it "
                    + "without '--discard-state'")
        }
        return 0
    }
}
