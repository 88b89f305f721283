// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Glibc

/// Draws screens on the whole terminal, with ncurses.
struct TerminalRenderer: ScreenRenderer {
    /// The variables of the process that matter.
    private let terminalType: @Sendable () -> String

    init(
        terminalType: @escaping @Sendable () -> String = {
            getenv("TERM").map { String(cString: $0) } ?? ""
        }
    ) {
        self.terminalType = terminalType
    }

    /// Whether a person is at a terminal that can move its cursor.
    func canDraw(on console: any Console) -> Bool {
        console.isInteractive && obstacle == nil
    }

    func open(on console: any Console) async throws -> any ScreenDisplay {
        guard console.isInteractive else { throw TerminalError.notInteractive }
        if let obstacle { throw obstacle }
        return try await TerminalDisplay.open(type: terminalType())
    }

    private var obstacle: TerminalError? {
        if isatty(STDIN_FILENO) == 0 { return .noTerminal("input") }
        if isatty(STDOUT_FILENO) == 0 { return .noTerminal("output") }
        let type = terminalType()
        return type.isEmpty || type == "dumb" || type == "unknown" ? .plainType(type) : nil
    }
}

/// The reason why nothing can be drawn on the terminal.
enum TerminalError: Error, Hashable, CustomStringConvertible {
    /// No person answers.
    case notInteractive
    /// The standard input, or the standard output, is not a terminal.
    case noTerminal(String)
    /// `TERM` is missing, or names a terminal that only writes lines.
    case plainType(String)
    /// ncurses has no description of the terminal's type.
    case unknownType(String)
    /// Another display of this process draws on the terminal.
    case inUse
    /// The machine cannot tell which characters are wide.
    case noUTF8
    /// The system does not give what is needed, such as a thread.
    case system(String, Int32)

    private static let otherwise = "choose another renderer with 'eaves swap ScreenRenderer …'"

    var description: String {
        switch self {
        case .notInteractive:
            "cannot draw on the terminal: nobody answers at this console; \(Self.otherwise)"
        case .noTerminal(let stream):
            "cannot draw on the terminal: the standard \(stream) is no terminal; "
                + "fix: run the command at a terminal without redirecting it, or \(Self.otherwise)"
        case .plainType(let type):
            "cannot draw on the terminal: TERM is '\(type)', expected a type with a movable cursor; "
                + "fix: set TERM to the terminal's type, such as 'xterm', or \(Self.otherwise)"
        case .unknownType(let type):
            "cannot draw on the terminal: this machine has no description of the type '\(type)', "
                + "which TERM names; fix: set TERM to a type that 'infocmp' knows, such as 'xterm', "
                + "or install Debian's package ncurses-term"
        case .inUse:
            "cannot draw on the terminal: another display of this process draws there; "
                + "fix: close it first"
        case .noUTF8:
            "cannot draw on the terminal: this machine has neither the locale 'C.UTF-8' nor "
                + "'en_US.UTF-8'; fix: install Debian's package locales, or \(Self.otherwise)"
        case .system(let what, let code):
            "cannot draw on the terminal: \(what): \(String(cString: strerror(code)))"
        }
    }
}
