// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDiagnostics
import EavesInterface
import Testing

@testable import EavesCLI
@testable import EavesOutput

@Suite("Messages")
struct MessagesTests {
    private struct Unexpected: Error {}

    private static func resolution(_ reason: ResolutionError.Reason) -> ResolutionError {
        ResolutionError(reason, wanted: ServiceRequest((any UserService).self))
    }

    private static let codes: [(any Error, Int32)] = [
        (Diagnostic("", code: .cannotCreate), 73),
        (CommandError.noManifest(folder: "/"), 66),
        (ConsoleError("cannot write"), 74),
        (UsageError("no name"), 64),
        (resolution(.notRegistered), 69),
        (resolution(.cycle), 78),
        (resolution(.cancelled), 70),
        (resolution(.factoryFailed(Unexpected())), 70),
        // A feature's own error comes through the factories that it went through.
        (resolution(.factoryFailed(UsageError("no name"))), 64),
        (resolution(.factoryFailed(ConsoleError("cannot read"))), 74),
        (resolution(.moduleFailed(Diagnostic("", code: .incompatible))), 76),
        (resolution(.moduleFailed(resolution(.notRegistered))), 69),
        (Unexpected(), 70),
    ]

    @Test("give each error its exit code", arguments: codes)
    func exitCode(error: any Error, code: Int32) {
        #expect(Messages.exitCode(of: error) == code)
    }

    @Test("say what the errors of features and of the container say")
    func words() {
        #expect(Messages.diagnostics(of: UsageError("no name")).map(\.message) == ["no name"])
        let missing = Self.resolution(.notRegistered)
        #expect(
            Messages.diagnostics(of: missing) == [
                Diagnostic(
                    missing.description, fix: "add a module that provides it, and see 'eaves list'",
                    code: .noProvider)
            ])
        let cycle = Messages.diagnostics(of: Self.resolution(.cycle))
        #expect(cycle.first?.fix == "break the circle: let one of them resolve later")
        #expect(
            Messages.diagnostics(of: Unexpected()).map(\.message)
                == ["unexpected error: Unexpected()"])
    }

    @Test("have a second line with the fix, if there is one, and colours only if asked for")
    func text() {
        let whole = Diagnostic("it is gone", fix: "look for it", code: .notFound)
        #expect(
            Messages.text(of: whole, label: .error, isColored: false)
                == "error: it is gone\nfix: look for it")
        #expect(
            Messages.text(
                of: Diagnostic("it is old", code: .badData), label: .warning, isColored: false)
                == "warning: it is old")
        #expect(
            Messages.text(of: whole, label: .error, isColored: true)
                == "\u{1b}[1;31merror:\u{1b}[0m it is gone\n\u{1b}[1;32mfix:\u{1b}[0m look for it")
        #expect(
            Messages.text(of: whole, label: .warning, isColored: true)
                .hasPrefix("\u{1b}[1;33mwarning:\u{1b}[0m it"))
    }
}
