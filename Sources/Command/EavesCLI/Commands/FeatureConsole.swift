// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesInterface
import EavesOutput
import EavesSystem
import Glibc

/// The console that a feature gets: its output is its own, and its messages stand behind its name.
struct FeatureConsole: Console {
    private let terminal: Terminal
    private let feature: String
    /// Noted when the feature's wait for a line has to end.
    private let interruption: EventFlag?

    /// - Parameter interruption: An event that ends the feature's wait for a line.
    init(_ terminal: Terminal, feature: String, _ interruption: EventFlag? = nil) {
        self.terminal = terminal
        self.feature = feature
        self.interruption = interruption
    }

    var isInteractive: Bool { terminal.console.isInteractive }

    func readLine() throws(ConsoleError) -> String? {
        if let interruption, (terminal.console as? StandardConsole)?.hasLine == false {
            try terminal.console.flush()
            try interruption.waitForInput()
        }
        return try terminal.console.readLine()
    }

    func write(_ text: String) throws(ConsoleError) { try terminal.console.write(text) }

    func warn(_ text: String) { terminal.say(text, by: feature) }

    func flush() throws(ConsoleError) { try terminal.console.flush() }
}

extension EventFlag {
    /// Waits until standard input can be read.
    ///
    /// - Throws: `ConsoleError` if the event is noted before that.
    fileprivate func waitForInput() throws(ConsoleError) {
        while true {
            var sources = [STDIN_FILENO, descriptor].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            guard poll(&sources, 2, -1) > 0 else { continue }
            if sources[1].revents != 0 { throw ConsoleError("interrupted") }
            return
        }
    }
}
