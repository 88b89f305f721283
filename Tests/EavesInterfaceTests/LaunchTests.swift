// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Testing

@Suite("the input and the result of a feature")
struct LaunchTests {
    private func value(_ arguments: String...) throws -> String? {
        try Launch(arguments: arguments, console: OneLineConsole()).value(of: "--name")
    }

    @Test("an option's value follows it, or stands behind an equals sign; the last one counts")
    func value() throws {
        #expect(try value("--name", "Alice") == "Alice")
        #expect(try value("--name=Alice") == "Alice")
        #expect(try value("--name=a=b") == "a=b")
        #expect(try value("--name=") == "")
        #expect(try value("--name", "Alice", "x", "--name=Bob") == "Bob")
        #expect(try value("--name", "--name") == "--name")
    }

    @Test("an option that is not given has no value")
    func noValue() throws {
        #expect(try value() == nil)
        #expect(try value("Alice", "--names", "--names=x", "-name=y", "name") == nil)
    }

    @Test("arguments after two dashes are no options")
    func afterTwoDashes() throws {
        #expect(try value("--", "--name", "Alice") == nil)
        #expect(try value("--name", "Alice", "--", "--name=Bob") == "Alice")
        #expect(try value("--name", "--", "--name=Bob") == "Bob")
    }

    @Test("an option without a value is a usage error")
    func missingValue() throws {
        let error = #expect(throws: UsageError.self) { try value("x", "--name") }
        #expect(error?.description == "option '--name' needs a value")
    }

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
        #expect("\(ConsoleError("Broken pipe"))" == "Broken pipe")
    }
}
