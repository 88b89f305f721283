// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesProcess
import EavesSystem
import EavesTrust
import Glibc

/// The program that shows a long text page by page, chosen as git chooses it.
struct Pager {
    private let command: String

    /// The pager that the environment names: `EAVES_PAGER`, else `PAGER`, else `less`, if the machine has it.
    ///
    /// - Returns: `nil` if a variable is empty or `cat`, or if there is no pager.
    init?(variable: (String) -> String?) {
        let named = variable("EAVES_PAGER") ?? variable("PAGER")
        guard let named else {
            let finder = ToolFinder(searchPath: variable("PATH"))
            guard let less = try? finder.find("less") else { return nil }
            command = less.shellPath
            return
        }
        if named.isEmpty || named == "cat" { return nil }
        command = named
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
