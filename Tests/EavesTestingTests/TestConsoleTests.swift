// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesTesting
import Testing

@Suite("TestConsole")
struct TestConsoleTests {
    @Test("is interactive if it has input, and reads the lines in order")
    func input() {
        let console = TestConsole(input: ["a", ""])
        #expect(console.isInteractive)
        #expect(console.readLine() == "a")
        #expect(console.readLine() == "")
        #expect(console.readLine() == nil)
        #expect(TestConsole(input: []).isInteractive)
        #expect(!TestConsole().isInteractive)
        #expect(TestConsole().readLine() == nil)
    }

    @Test("keeps output and warnings apart, and splits the output into lines")
    func output() throws {
        let console = TestConsole()
        #expect(console.lines.isEmpty)
        try console.print("a")
        console.write("\nb")
        console.warn("careful")
        #expect(console.output == "a\n\nb")
        #expect(console.lines == ["a", "", "b"])
        #expect(console.warnings == ["careful"])
    }
}
