// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a module whose binary does not fit", .onOwnThreads)
struct SymbolTests {
    @Test("that needs an unknown symbol is refused with its name, in C")
    func undefinedInC() throws {
        try expectRefusal(
            CFixtures.module("NeedsCSymbol"), launching: "nowhere", code: 76,
            """
            error: needs-c-symbol: needs 'function_of_nobody', which neither this host nor a \
            loaded library has (Plugins/bad.so)
            fix: rebuild it with 'eaves build' against this host's interface, or link the library \
            that has it
            """)
    }

    @Test("that needs an unknown symbol is refused with its readable name, in Swift")
    func undefinedInSwift() throws {
        let module = try SwiftFixtures.needsSwiftSymbol.get().url
        try expectRefusal(
            module.appendingPathComponent("needs-swift-symbol.so"), launching: "elsewhere",
            code: 76,
            """
            error: needs-swift-symbol: needs 'Elsewhere.greeting(for: Swift.String, times: \
            Swift.Int) -> Swift.String', which neither this host nor a loaded library has \
            (Plugins/bad.so)
            fix: rebuild it with 'eaves build' against this host's interface, or link the library \
            that has it
            """)
    }

    @Test("that needs symbols which this host's interface lacks is refused with their names")
    func newerInterface() throws {
        let module = try SwiftFixtures.needsNewerInterface.get().url
        try expectRefusal(
            module.appendingPathComponent("needs-newer-interface.so"), launching: "newer", code: 76,
            """
            error: needs-newer-interface: needs symbols that this host's EavesInterface does not \
            have: \
            'EavesInterface.Launch.greeting(for: Swift.String) -> Swift.String', \
            'EavesInterface.Launch.shout() -> Swift.String' (Plugins/bad.so)
            fix: rebuild it against this host's interface with 'eaves build', or use a host that \
            has them
            """)
    }

    @Test("that carries the interface itself is refused before its types can be mistaken")
    func carriesInterface() throws {
        let workspace = try Workspace()
        let built = try SwiftFixtures.carriesInterface.get().url
        try workspace.drop(built.appendingPathComponent("carries-interface.so"), as: "bad.so")
        for words in [["launch", "carry"], ["inspect", "carries-interface"]] {
            let outcome = try workspace.eaves(words)
            #expect(
                outcome.errors.hasPrefix(
                    """
                    error: carries-interface: carries a copy of EavesInterface of its own, whose \
                    types would not be this host's (
                    """), "\(outcome)")
            #expect(
                outcome.errors.hasSuffix(
                    """
                    ') (Plugins/bad.so)
                    fix: build it with 'eaves build', which links no interface

                    """))
            #expect(outcome.code == 76)
            outcome.expectNoCrash()
        }
        try workspace.expectOthersWork()
    }

    @Test(
        "that has no entry point, or something else under its name, is refused",
        arguments: [
            ("NoEntry", "no-entry", "closed"),
            ("EntryIsNoFunction", "entry-is-no-function", "variable"),
        ])
    func noEntry(fixture: String, id: String, feature: String) throws {
        try expectRefusal(
            CFixtures.module(fixture), launching: feature, code: 65,
            """
            error: \(id): expected an exported function 'eaves_register', found none \
            (Plugins/bad.so)
            fix: add an entry point, as Documentation/WritingAModule.md shows
            """)
    }

    private func expectRefusal(
        _ module: URL, launching feature: String, code: Int32, _ message: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let workspace = try Workspace()
        try workspace.drop(module, as: "bad.so")
        try workspace.eaves("launch", feature)
            .expectFailure(code, message, sourceLocation: sourceLocation)
        try workspace.expectOthersWork(sourceLocation: sourceLocation)
    }
}
