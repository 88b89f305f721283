// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Testing

@Suite("the input and the result of a feature")
struct LaunchTests {
    @Test("success is 0 and failure is 1")
    func exitCodes() {
        #expect(ExitCode.success.rawValue == 0)
        #expect(ExitCode.failure.rawValue == 1)
        #expect(ExitCode(7) == ExitCode(rawValue: 7))
    }

    @Test("a console prints a line with its end, and a question without one")
    func console() throws {
        let console = OneLineConsole()
        try console.print("Hello")
        #expect(try console.ask("Name: ") == "Grace")
        #expect(console.output == "Hello\nName: ")
    }

    @Test("errors show the text that they were given")
    func errors() {
        #expect("\(UsageError("name a city"))" == "name a city")
        #expect(UsageError("name a city").fix == nil)
        #expect(UsageError("no city", fix: "name one").fix == "name one")
        #expect("\(ConsoleError("Broken pipe"))" == "Broken pipe")
    }
}
