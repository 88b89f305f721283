// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesChild
import EavesDiagnostics
public import EavesHost
import EavesIsolation
import EavesModules
import EavesOutput
import EavesSystem
import Glibc

/// The command `eaves`, also under a name of one's own:
///
/// ```swift
/// EavesCommand.main(
///     name: "acme", version: "2.1",
///     interfaces: [LinkedInterface(id: "acme-api", module: "AcmeAPI", version: "1.0")]
/// ) { services in
///     services.provide((any Clock).self, scope: .shared) { _ in SystemClock() }
/// }
/// ```
///
/// A command line goes through these files, one after another:
/// 1. this one;
/// 2. `Options/Invocation.swift` finds the subcommand and its options and operands, as features find theirs;
/// 3. `Subcommand.swift` has the table of all subcommands;
/// 4. `Commands/…Command.swift` is the subcommand, and calls the room that does the work;
/// 5. the room `EavesOutput` prints the result, or what the subcommand threw.
public enum EavesCommand {
    /// Runs the command line of this process, and ends the process with the exit code.
    ///
    /// A program calls this first, on the main thread, which then serves the main actor. It starts the
    /// processes of `verify` itself: they are the program, started again.
    ///
    /// - Parameters:
    ///   - name: The word by which people call the command. Help and messages name it.
    ///   - version: The program's own version, which `--version` prints; `nil` if it has none.
    ///   - interfaces: The interface modules that are linked into the program.
    ///   - services: The provider of the program's own services. Called for each host that a command
    ///     makes; `nil` if there are none.
    public static func main(
        name: String = "eaves", version: String? = nil, interfaces: [LinkedInterface] = [],
        providing services: (@Sendable (ServiceContainer) -> Void)? = nil
    ) -> Never {
        WorkerProgram.runIfRequested()
        // First of all: the next descriptor that is opened would get the number of a closed one.
        Terminal.secureDescriptors()
        Interrupts.restoreQuit()
        // Where the program that started this one ignores it, the system drops the status of children.
        signal(SIGCHLD, SIG_DFL)
        if name != CommandName.usual {
            let subcommands = Subcommand.all.map(\.name)
            CommandName.choose(CommandName(name, subcommands: subcommands))
        }
        if let version { Version.set(version) }
        ProgramServices.provide(services)
        let terminal = Terminal()
        do {
            try LinkedInterfaces.declare(interfaces)
            switch try Invocation(Array(CommandLine.keptArguments.dropFirst())).request {
            case .show(let text, let code):
                try terminal.write(text)
                finish(code, terminal)
            case .run(let subcommand, let options):
                let call = SubcommandCall(options: options, terminal: terminal)
                try perform(subcommand.run, call)
            }
        } catch {
            fail(error, terminal)
        }
    }

    private static func perform(_ run: Subcommand.Run, _ call: SubcommandCall) throws -> Never {
        switch run {
        case .synchronous(let run):
            finish(try run(call), call.terminal)
        case .asynchronous(let prepare, let run):
            try prepare(call.options)
            // The task runs on this thread until it first waits: starting the threads of the
            // concurrency runtime takes longer than most commands. A feature begins on one of those.
            Task.immediate {
                do {
                    finish(try await run(call), call.terminal)
                } catch {
                    fail(error, call.terminal)
                }
            }
            eaves_serve_main_queue()
        case .inShell:
            preconditionFailure("a command of a shell stands in the table of all commands")
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
        terminal.finish(after: error)
        exit(Messages.exitCode(of: error))
    }
}
