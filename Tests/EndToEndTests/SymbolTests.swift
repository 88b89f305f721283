// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a module whose binary does not fit", .onOwnThreads)
struct SymbolTests {
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
}
