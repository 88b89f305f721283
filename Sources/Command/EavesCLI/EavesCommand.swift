// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesChild
import EavesDiagnostics
public import EavesHost
import EavesInterface
import EavesIsolation
import EavesJSON
import EavesModules
import EavesOutput
import EavesSystem
import EavesTrust
import EavesVerify
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
/// 1. this one, which has the table of all subcommands;
/// 2. `Options/Invocation.swift` finds the subcommand and its options and operands, as features find theirs;
/// 3. `Commands/…Command.swift` is the subcommand, and calls the room that does the work;
/// 4. the room `EavesOutput` prints the result, or what the subcommand threw.
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
            VerificationProbe.runIfRequested()
            switch try Invocation(Array(CommandLine.keptArguments.dropFirst())) {
            case .show(let text, let code):
                try terminal.write(text)
                finish(code, terminal)
            case .run(let subcommand, let options):
                if let store = options.value(.store) {
                    setenv(StorePlace.variable, Path.absolute(store), 1)
                }
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

/// One word of the command, such as `list`: it takes options, makes one call, and prints.
///
/// It stands in the table ``all``.
struct Subcommand: Sendable {
    let name: String
    /// One line for the overview of all commands.
    let summary: String
    /// The operands as help shows them, such as `FEATURE [ARG…]`.
    var operands = ""
    /// The kinds of words that the operands are, for shells that complete them.
    var completed: [CompletedWord] = []
    /// The options it takes, besides `--help`.
    let options: [OptionSpec]
    /// Whether all words from the first operand on are operands, even those that look like options.
    var stopsAtOperand = false
    /// Whether it changes the manifest, so that the host of a shell looks at the disk when it was called.
    var changesManifest = false
    /// The text of its own help below the usage line.
    let discussion: String
    /// The work of the subcommand. It returns the exit code, or throws any error that ``Messages`` turns into
    /// messages and an exit code.
    let run: Run

    enum Run: Sendable {
        /// It ends when its call returns.
        case synchronous(@Sendable (SubcommandCall) throws -> Int32)
        /// It runs code of modules, which may wait for something. `prepare` is called first, while the process has one
        /// thread.
        case asynchronous(
            prepare: @Sendable (ParsedOptions) throws -> Void = { _ in },
            @Sendable (SubcommandCall) async throws -> Int32)
        /// It is a command of a shell, and needs that. `nil` instead of an exit code ends the shell.
        case inShell(@Sendable (Shell, ParsedOptions) async throws -> Int32?)

        /// It ends when its call returns, and has done what was asked for unless it throws.
        static func plain(_ run: @escaping @Sendable (SubcommandCall) throws -> Void) -> Run {
            .synchronous { call in
                try run(call)
                return 0
            }
        }
    }

    /// How many operands ``operands`` shows.
    var operandCount: ClosedRange<Int> {
        let words = operands.split(separator: " ")
        let least = words.prefix { !$0.hasPrefix("[") }.count
        let most = words.count - 2 * words.count { $0 == "|" }
        return least...(operands.includes("…") ? .max : most)
    }

    /// All subcommands, in the order of the overview.
    static let all: [Subcommand] = [
        initialize, new, list, launch, open, shell, inspect, validate, build, verify, quarantine,
        swap,
        rollback, history, generations, enable, disable, add, remove, pin, sign, trust, interface,
        graph, audit, completion, man,
    ]

    /// Subcommands that only the command itself starts. The overview leaves them out.
    static let hidden: [Subcommand] = [complete, start]

    static func named(_ word: String) -> Subcommand? {
        // A launch needs no other subcommand, and making all of them takes a hundredth of it.
        word == launch.name ? launch : (all + hidden).first { $0.name == word }
    }
}

extension Subcommand {
    /// A parser of its options, which also makes its help.
    ///
    /// - Parameter isInShell: Whether it is typed in a shell.
    func parser(inShell isInShell: Bool) -> LaunchParser {
        LaunchParser(
            options.shown(inShell: isInShell).map(\.declaration),
            feature: (isInShell ? "" : CommandName.current.text + " ") + name, summary: summary,
            command: LaunchParser.Command(
                operands: operands, discussion: discussion, stopsAtOperand: stopsAtOperand))
    }
}

/// A call of a subcommand: its options and operands, of which there are as many as it allows, and where it prints.
///
/// The file of each subcommand adds what that does.
struct SubcommandCall: Sendable {
    let options: ParsedOptions
    let terminal: Terminal

    /// Prints JSON if the options ask for it, and else a text.
    ///
    /// - Parameter isPaged: Whether a person sees a long text page by page.
    func print(
        _ json: @autoclosure () -> JSON, or text: @autoclosure () -> String, isPaged: Bool = false
    ) throws(ConsoleError) {
        if options.has(.json) { return try terminal.write(json()) }
        try isPaged ? terminal.page(text()) : terminal.write(text())
    }
}
