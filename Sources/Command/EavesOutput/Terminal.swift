// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesHost
package import EavesInterface
package import EavesJSON
import EavesProcess
import EavesSystem
import EavesTrust
import Glibc

/// A console whose output is kept back until it is flushed.
package protocol BufferedConsole: Console {
    /// Writes UTF-8 data, and keeps nothing back.
    func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(ConsoleError)

    func flush() throws(ConsoleError)

    /// Keeps standard output to itself: what modules print there goes to standard error from now on.
    func claimOutput() throws(ConsoleError)
}

extension StandardConsole: BufferedConsole {}

/// Where a command prints: data to standard output, messages to standard error.
package struct Terminal: Sendable {
    /// Features get the same console, so that no line overtakes another.
    package let console: any BufferedConsole

    /// - Parameter console: Standard input and output, except in tests.
    package init(console: any BufferedConsole = StandardConsole()) {
        self.console = console
    }

    package var isColored: Bool {
        Self.isColored(STDERR_FILENO, variable: Environment.value)
    }

    package var outputStyle: PageStyle {
        guard console is StandardConsole else { return .plain }
        return PageStyle(
            columns: Screen(of: STDOUT_FILENO)?.columns,
            isColored: Self.isColored(STDOUT_FILENO, variable: Environment.value))
    }

    /// The window in which messages appear, if lines can be changed there; `nil` for a file, a pipe, and in tests.
    var messageScreen: Screen? {
        guard console is StandardConsole, Screen.canOverwrite else { return nil }
        return Screen(of: STDERR_FILENO)
    }

    /// Whether texts to a descriptor are coloured, by the conventions of no-color.org and
    /// bixense.com/clicolors: on a terminal that can show colours, unless the person wants something
    /// else. A variable that is empty counts as not set.
    static func isColored(_ descriptor: Int32, variable: (String) -> String?) -> Bool {
        func has(_ name: String) -> Bool { !(variable(name) ?? "").isEmpty }
        if has("NO_COLOR") { return false }
        if has("CLICOLOR_FORCE"), variable("CLICOLOR_FORCE") != "0" { return true }
        if variable("CLICOLOR") == "0" || variable("TERM") == "dumb" { return false }
        return isatty(descriptor) == 1
    }

    /// Writes data for a person: lines of text, with no control characters but line breaks and tabs.
    package func write(_ text: String) throws(ConsoleError) {
        try console.write(text.escapedLines())
    }

    /// Writes data for a person, in colours where the output has them. Where it is longer than the window, a pager shows it.
    package func page(_ text: String) throws(ConsoleError) {
        let text = text.escapedLines(keepsColors: outputStyle.isColored)
        if console is StandardConsole, Screen.canOverwrite, let screen = Screen(of: STDOUT_FILENO),
            text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) >= screen.rows,
            let pager = Pager(variable: Environment.value)
        {
            try console.flush()
            if pager.show(text) { return }
        }
        try console.write(text)
    }

    package func write(_ json: JSON) throws(ConsoleError) {
        try console.write(json.text(pretty: true) + "\n")
    }

    /// Writes a message about what was done, on one line.
    package func say(_ text: String) {
        console.warn(CommandName.current.applied(to: text).escapedLine)
    }

    package func say(_ text: String, by name: String) {
        console.warn(text.said(by: name))
    }

    package func warn(_ diagnostic: Diagnostic) {
        console.warn(Messages.text(of: diagnostic, label: .warning, isColored: isColored))
    }

    /// Writes the data that was kept back: by the console, by C functions and by `print`.
    package func finish() throws(ConsoleError) { try console.flush() }

    /// Writes the data that was kept back, and then why the command failed.
    package func finish(after error: any Error) {
        do {
            try finish()
        } catch let lost where Messages.consoleError(in: error) == nil {
            report(lost)
        } catch {
            // The error that is reported next says the same.
        }
        report(error)
    }

    /// Reports an error, unless it is that a reader of the output has seen enough, as `head` does: that
    /// is no failure to the person, and all commands end without a word then.
    package func report(_ error: any Error) {
        if Messages.consoleError(in: error) == .writing(.brokenPipe) { return }
        for diagnostic in HostError.diagnostics(of: error) {
            console.warn(Messages.text(of: diagnostic, label: .error, isColored: isColored))
        }
    }
}

extension Terminal {
    /// Opens the standard descriptors that the parent process closed, so that using one fails; else the
    /// next file that is opened would take its number, and get what is printed. Also makes writing to
    /// a pipe without a reader an error, where it would end the process by a signal.
    package static func secureDescriptors() {
        for (descriptor, unusable) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ] where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", unusable)
        }
        SignalHandler.letBrokenPipesFail()
    }
}

/// The size of a terminal's window, in characters.
struct Screen: Equatable, Sendable {
    let columns: Int
    let rows: Int
}

extension Screen {
    /// - Returns: `nil` if the descriptor leads to no terminal, or to one that does not tell its size.
    init?(of descriptor: Int32) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return nil }
        self.init(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Whether the terminal can write over what stands on a line.
    static var canOverwrite: Bool { Environment.value(of: "TERM") ?? "dumb" != "dumb" }
}

/// The program that shows a long text page by page, chosen as git chooses it.
struct Pager {
    private let command: String

    /// The pager that the environment names: `EAVES_PAGER`, else `PAGER`, else `less`, if the machine has it.
    ///
    /// - Returns: `nil` if a variable is empty or `cat`, or if there is no pager.
    init?(variable: (String) -> String?) {
        if let named = variable("EAVES_PAGER") ?? variable("PAGER") {
            if named.isEmpty || named == "cat" { return nil }
            command = named
        } else {
            let finder = ToolFinder(searchPath: variable("PATH"))
            guard let less = try? finder.find("less") else { return nil }
            command = less.shellPath
        }
    }

    /// Shows a text, and waits until the person has seen enough.
    ///
    /// - Returns: `false` if the pager cannot be started.
    func show(_ text: String) -> Bool {
        guard let pipe = Pipe() else { return false }
        var command = ChildCommand("/bin/sh", ["-c", self.command])
        // The pager reads keys at our terminal.
        command.mayAsk = true
        // To end when all is seen, to show colours, and to leave the text on the screen.
        if command.environment["LESS"] == nil { command.environment["LESS"] = "FRX" }
        if command.environment["LV"] == nil { command.environment["LV"] = "-c" }
        let pager: ChildProcess
        do {
            pager = try ChildProcess(
                command, [.descriptor(pipe.readEnd), .descriptor(STDOUT_FILENO)])
        } catch {
            pipe.close()
            return false
        }
        close(pipe.readEnd)
        // Ctrl-C is meant for the pager, which needs its terminal back in order.
        let kept = (signal(SIGINT, SIG_IGN), signal(SIGQUIT, SIG_IGN))
        defer {
            signal(SIGINT, kept.0)
            signal(SIGQUIT, kept.1)
        }
        // A person who has seen enough ends the pager, and the rest of the text is lost.
        _ = Array(text.utf8).withUnsafeBufferPointer { OpenFile.write($0, to: pipe.writeEnd) }
        close(pipe.writeEnd)
        return pager.wait() != .exited(127)
    }
}
