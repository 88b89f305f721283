// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesTestSupport
import Testing

@testable import EndToEndSupport

@Suite("the start of a launch", .onOwnThreads)
struct LeanStartTests {
    @Test("runs a feature where tasks run, and loads no library for nothing")
    func process() throws {
        let workspace = try Workspace()
        try workspace.drop(CFixtures.module("TellsOfProcess"), as: "tells-of-process.so")
        let outcome = try workspace.eaves("launch", "process")
        #expect(
            outcome.lines == [
                "first thread: 0", "libswiftCore: 1", "libswift_RegexParser: 0",
                "libswift_StringProcessing: 0", "libswiftDispatch: 0", "libFoundation: 0",
            ])
        #expect(outcome.errors == "")
        #expect(outcome.code == 0)
    }
}
