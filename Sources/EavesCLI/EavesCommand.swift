// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CSystem
import EavesDiagnostics
import Glibc

/// The command: finds the subcommand, runs it, and turns whatever it throws into messages.
public enum EavesCommand {
    /// Runs the command line of this process and ends it with the exit code.
    ///
    /// To be called first thing on the main thread, which then serves the main actor.
    public static func main() -> Never {
        // Before anything opens a descriptor and gets a closed one's number.
        StandardDescriptors.secure()
        let terminal = Terminal()
        do {
            switch try Invocation(Array(CommandLine.arguments.dropFirst())).request {
            case .show(let text, let code):
                try terminal.write(text)
                finish(code, terminal)
            case .run(.immediate(let command), let options):
                finish(try command.init(options).run(terminal), terminal)
            case .run(.long(let command), let options):
                let command = try command.init(options)
                // Here and now, until it waits for something: the threads of the concurrency
                // runtime cost more than most commands, and many features need none.
                Task.immediate { await run(command, terminal) }
                dispatch_main()
            }
        } catch {
            fail(error, terminal)
        }
    }

    private static func run(_ command: some LongSubcommand, _ terminal: Terminal) async -> Never {
        do {
            finish(try await command.run(terminal), terminal)
        } catch {
            fail(error, terminal)
        }
    }

    private static func finish(_ code: Int32, _ terminal: Terminal) -> Never {
        do {
            try terminal.finish()
            exit(code)
        } catch {
            fail(error, terminal)
        }
    }

    private static func fail(_ error: any Error, _ terminal: Terminal) -> Never {
        terminal.finishMessages(of: error)
        exit(Messages.exitCode(of: error))
    }
}
