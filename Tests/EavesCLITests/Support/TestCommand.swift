// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Foundation
import Synchronization
import Testing

@testable import EavesCLI
@testable import EavesOutput

/// Runs command lines in the tests' own process.
enum TestCommand {
    /// The output of a command line, and its exit code.
    struct Outcome: CustomStringConvertible {
        var code: Int32 = 0
        var output = ""
        var errors = ""

        var lines: [String] { output.split(separator: "\n").map(String.init) }
        var description: String { "code \(code), output:\n\(output)\nerrors:\n\(errors)" }
    }

    /// Runs a command line that does not launch anything, as `EavesCommand` does.
    static func run(_ words: [String]) -> Outcome {
        let console = TestConsole()
        let terminal = Terminal(console: console)
        var code: Int32
        do {
            switch try Invocation(words) {
            case .show(let text, let shown):
                try terminal.write(text)
                code = shown
            case .run(let subcommand, let options):
                guard case .synchronous(let run) = subcommand.run else {
                    fatalError("'\(subcommand.name)' does not run in the tests' process")
                }
                code = try run(SubcommandCall(options: options, terminal: terminal))
            }
            try terminal.finish()
        } catch {
            terminal.finish(after: error)
            code = Messages.exitCode(of: error)
        }
        return Outcome(code: code, output: console.output, errors: console.errors)
    }
}

/// A console that keeps what is written, as the two outputs would show it.
final class TestConsole: BufferedConsole {
    private let texts = Mutex((kept: "", output: "", errors: ""))
    private let failure: ConsoleError?

    /// - Parameter failure: What flushing throws.
    init(failingWith failure: ConsoleError? = nil) {
        self.failure = failure
    }

    /// The output that was flushed.
    var output: String { texts.withLock { $0.output } }
    var errors: String { texts.withLock { $0.errors } }

    var isInteractive: Bool { false }

    func readLine() -> String? { nil }

    func write(_ text: String) { texts.withLock { $0.kept += text } }

    func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(ConsoleError) {
        try flush()
        texts.withLock { $0.output += String(decoding: bytes, as: UTF8.self) }
    }

    func flush() throws(ConsoleError) {
        if let failure { throw failure }
        texts.withLock { texts in
            texts.output += texts.kept
            texts.kept = ""
        }
    }

    func claimOutput() {}

    func warn(_ text: String) { texts.withLock { $0.errors += text + "\n" } }
}

extension TestCommand.Outcome {
    /// The JSON object that was printed.
    func object() throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(output.utf8))
        let object = try #require(json as? [String: Any])
        #expect(object["schema"] as? Int == 1)
        #expect(output.hasSuffix("}\n"))
        return object
    }
}

extension Workspace {
    /// A ready module that provides what the manifest binds, one that is switched off, and one that is not built.
    static func ofWeather() throws -> Workspace {
        let workspace = try Workspace(
            manifest: """
                {
                  "manifest": 1,
                  "modules": { "users": { "enabled": false } },
                  "bindings": { "Weather": "sunny" }
                }
                """)
        try workspace.addFile("Plugins/sunny.so", "sunny", provides: "Weather")
        try workspace.addFile("Plugins/users.so", "users")
        try workspace.addSources("Home", "home")
        return workspace
    }
}
