// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesDiagnostics
import Glibc

/// The command: finds the subcommand, runs it, and turns whatever it throws into messages.
public enum EavesCommand {
    /// Runs the command line of this process and ends it with the exit code.
    ///
    /// To be called first thing on the main thread, which then serves the main actor.
    public static func main() -> Never {
        // Before the concurrency runtime opens a descriptor and gets a closed one's number.
        StandardDescriptors.secure()
        Task { exit(await run(CommandLine.arguments)) }
        dispatchMain()
    }

    /// Runs the command.
    ///
    /// - Parameter arguments: The command line, with the program's name first.
    /// - Returns: The exit code.
    private static func run(_ arguments: [String]) async -> Int32 {
        let terminal = Terminal()
        do {
            let code = try await dispatch(Array(arguments.dropFirst()), terminal)
            try terminal.finish()
            return code
        } catch {
            terminal.finishMessages(of: error)
            return Messages.exitCode(of: error)
        }
    }

    private static func dispatch(_ words: [String], _ terminal: Terminal) async throws -> Int32 {
        let invocation = try Invocation(words)
        switch invocation.request {
        case .overview:
            try terminal.write(Help.overview(of: Subcommands.all))
            return words.isEmpty ? FailureCode.usage.rawValue : 0
        case .version:
            try terminal.write(Version.text + "\n")
            return 0
        case .help(let command):
            try terminal.write(Help.text(of: command))
            return 0
        case .run(let command, let options):
            return try await command.init(options).run(terminal)
        }
    }
}
