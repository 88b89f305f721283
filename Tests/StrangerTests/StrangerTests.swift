// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@Suite(
    "a stranger's package", .onOwnThreads,
    .enabled(
        if: StrangerWorkspace.isBuilt,
        "needs 'swift build --package-path Tests/Stranger --scratch-path .build'"))
struct StrangerTests {
    private let workspace: StrangerWorkspace

    init() throws {
        workspace = try StrangerWorkspace()
    }

    /// Runs a line that has to succeed.
    @discardableResult
    private func output(_ line: String) throws -> String {
        let outcome = try workspace.run(line)
        #expect(outcome.code == 0, "\(line): \(outcome)")
        return outcome.output
    }

    @Test("has its own command, which builds against its SDK alone, runs, swaps and verifies")
    func command() throws {
        try output("acme build")
        #expect(try output("acme launch hello Ada") == "Good day, Ada. It is sunny.\n")
        let list = try output("acme list")
        #expect(list.contains("hello"))
        #expect(list.contains("weather-api"))
        #expect(try output("acme validate") == "no problems\n")
        let swap = try output("acme swap Greeter shouting")
        #expect(swap == "Greeter: greetings → shouting\n")
        #expect(try output("acme launch hello Ada") == "HELLO, ADA. It is sunny.\n")
        #expect(try output("acme rollback") == "Greeter: shouting → greetings\n")
        let verified = try output("acme verify")
        #expect(verified.contains("5 modules passed"), "\(verified)")
        try output("acme disable shouting")
        #expect(try output("acme list").contains("disabled"))
    }

    @Test("has its own name and version in help and in messages")
    func names() throws {
        let version = try output("acme --version")
        #expect(version.hasPrefix("acme 2.1 (Eaves "), "\(version)")
        for word in ["", "build", "swap", "trust", "quarantine", "verify", "pin", "remove"] {
            let help = try output("acme help \(word)")
            #expect(help.contains("acme"), "\(help)")
            #expect(!help.contains("'eaves"), "\(help)")
            #expect(!help.contains("usage: eaves"), "\(help)")
        }
        try output("acme build")
        let lines = [
            "acme swap Nothing shouting": "'acme list'", "acme launch nothing": "'acme list'",
            "acme enable nothing": "'acme list'", "acme nothing": "'acme --help'",
            "acme pin": "'acme list'", "acme rollback": "'acme swap SERVICE MODULE'",
            "rm Modules/weather.so; acme launch --no-build hello": "'acme build weather'",
        ]
        for (line, fix) in lines {
            let outcome = try workspace.run(line)
            #expect(outcome.code != 0, "\(line)")
            #expect(outcome.output.contains(fix), "\(line): \(outcome)")
            #expect(!outcome.output.contains("'eaves "), "\(line): \(outcome)")
        }
    }

    @Test("can isolate the modules whose interfaces are files, in its own program")
    func isolation() throws {
        try output("acme build")
        let isolated = try output(
            "(echo launch hello Ada; echo verify weather) | stranger-server manifest.json weather")
        #expect(isolated.contains("Good morning, Ada. It is sunny.\n"), "\(isolated)")
        #expect(isolated.contains("weather: passed behind its wall\n"), "\(isolated)")
        let linked = try output("echo launch hello Ada | stranger-server manifest.json greetings")
        #expect(
            linked.contains("is of the interface 'greeting-api', which is linked into the program"),
            "\(linked)")
        let unknown = try workspace.run("echo features | stranger-server manifest.json nothing")
        #expect(unknown.code == 66, "\(unknown)")
        #expect(unknown.output.hasPrefix("there is no module 'nothing'\n"), "\(unknown)")
        let command = try output("acme launch --isolate weather hello Ada")
        #expect(command == "Good day, Ada. It is sunny.\n")
    }

    @Test("has modules that a program refuses which lacks their interface, and names that")
    func others() throws {
        try output("acme build")
        func expectRefusal(_ lines: String..., of interface: String) throws {
            for line in lines {
                let outcome = try workspace.run(line)
                #expect(outcome.code != 0, "\(line): \(outcome)")
                #expect(outcome.output.contains(interface), "\(line): \(outcome)")
            }
        }
        try expectRefusal(
            "eaves launch --no-build hello Ada", "eaves validate", "eaves inspect greetings",
            of: "'greeting-api'")
        // Modules that were built where that interface is.
        try output("rm -r Modules/weather-api.so Modules/WeatherAPI Modules/Weather Modules/Hello")
        try expectRefusal("acme launch hello Ada", "acme validate", of: "weather-api")
        try expectRefusal("rm Modules/*.so; eaves build greetings", of: "greeting-api")
    }

    @Test("has a server that stays up, builds, loads, swaps and verifies")
    func server() throws {
        let requests = [
            "features", "greet Ada", "greet Bob", "launch hello Cid", "launch nothing",
            "swap Greeter shouting", "greet Ada", "launch hello Cid", "rollback", "greet Ada",
            "choose Ada", "ada", "validate", "verify weather",
        ]
        let text = requests.joined(separator: "\\n")
        try output("acme build; rm Modules/weather.so")
        let output = try output("printf '\(text)\\n' | stranger-server")
        let lines = output.split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("event: ") && !$0.hasPrefix("fix: ") }
        #expect(
            lines == [
                "hello of hello: ready", "Good morning, Ada", "Good morning, Bob",
                "Good morning, Cid. It is sunny.", "exit code 0",
                "no module offers a feature 'nothing'", "Greeter: greetings → shouting",
                "HELLO, ADA",
                "HELLO, CID. It is sunny.", "exit code 0", "Greeter = greetings",
                "Good morning, Ada", "Good morning, Ada", "Good morning, Ada", "no problems",
                "weather: passed",
            ], "\(output)")
        #expect(output.contains("event: built weather\n"))
        #expect(output.contains("event: loaded greetings"))
        #expect(output.contains("event: loaded weather-api"))
    }

    @Test(
        "is told which module crashed the process before, and which one crashes when it is verified"
    )
    func crashes() throws {
        let folder = workspace.folder
        try folder.createFolder("Modules/Trap")
        try folder.write(
            """
            {
              "id": "trap", "version": "1.0.0", "layer": "core", "interfaces": ["greeting-api"],
              "provides": [{ "service": "Greeter" }]
            }
            """, to: "Modules/Trap/module.json")
        try folder.write(
            """
            import EavesInterface
            import GreetingAPI

            enum TrapModule: Module {
                static func register(in registrar: any Registrar) {
                    registrar.register((any Greeter).self) { _ in fatalError("no greeting") }
                }
            }
            """, to: "Modules/Trap/TrapModule.swift")
        try output("acme build trap && acme swap Greeter trap")
        let crash = try workspace.run("echo greet Ada | stranger-server")
        #expect(crash.code != 0)
        #expect(!crash.output.contains("event: crashed"))
        let next = try output("echo features | stranger-server")
        #expect(next.contains("event: crashed trap\n"), "\(next)")
        let verified = try output("echo verify trap | stranger-server")
        #expect(verified.contains("event: crashed trap\n"), "\(verified)")
        #expect(verified.contains("trap: failed\n"), "\(verified)")
        // It is kept out from now on.
        let refused = try output("echo greet Ada | stranger-server")
        #expect(refused.contains("event: refused trap\n"), "\(refused)")
        #expect(refused.contains("quarantined"), "\(refused)")
    }
}
