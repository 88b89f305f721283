// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesInterface
import EavesOutput
import EavesSystem
import Glibc
import Synchronization

/// The console of a shell. While a person edits a line, it holds back what others print, so that the editor can
/// take the line off the screen first.
///
/// Safe from any thread.
final class ShellConsole: BufferedConsole {
    private enum Text {
        case output(String)
        case message(String)
    }

    private struct State {
        var isHolding = false
        var held: [Text] = []
    }

    private let console: any BufferedConsole
    private let state = Mutex(State())
    /// Is noted when something is held back.
    let news: EventFlag
    /// Is noted while the feature that reads is asked to end.
    private let interruption: EventFlag

    /// - Parameters:
    ///   - console: Where everything is read and printed in the end.
    ///   - interruption: Ends a feature's wait for a line at a terminal.
    init(_ console: any BufferedConsole, news: EventFlag, interruption: EventFlag) {
        self.console = console
        self.news = news
        self.interruption = interruption
    }

    var isInteractive: Bool { console.isInteractive }
    var isProcessOutput: Bool { console.isProcessOutput }

    func readLine() throws(ConsoleError) -> String? {
        // A terminal gives one line at a time, so that none is left in the console's buffer.
        if isInteractive {
            try console.flush()
            try interruption.waitForInput()
        }
        return try console.readLine()
    }

    func write(_ text: String) throws(ConsoleError) {
        if !hold(.output(text)) { try console.write(text) }
    }

    func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(ConsoleError) {
        try console.write(bytes)
    }

    func warn(_ text: String) {
        if !hold(.message(text)) { console.warn(text) }
    }

    func flush() throws(ConsoleError) { try console.flush() }

    func claimOutput() throws(ConsoleError) { try console.claimOutput() }

    /// Begins to hold back texts.
    func beginHolding() { state.withLock { $0.isHolding = true } }

    /// Prints what was held back, and holds nothing back any more.
    func endHolding() {
        state.withLock { $0.isHolding = false }
        printHeld()
    }

    /// Prints what was held back.
    func printHeld() {
        news.take()
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for text in held {
            switch text {
            // The next command meets the same error.
            case .output(let text): try? console.write(text)
            case .message(let text):
                try? console.flush()
                console.warn(text)
            }
        }
        if !held.isEmpty { try? console.flush() }
    }

    private func hold(_ text: Text) -> Bool {
        let isHeld = state.withLock { state in
            if state.isHolding { state.held.append(text) }
            return state.isHolding
        }
        if isHeld { news.note() }
        return isHeld
    }
}

extension EventFlag {
    /// Waits until standard input can be read.
    ///
    /// - Throws: `ConsoleError` if the event is noted before that.
    func waitForInput() throws(ConsoleError) {
        while true {
            var sources = [
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&sources, 2, -1) > 0 else { continue }
            if sources[1].revents != 0 { throw ConsoleError("interrupted") }
            return
        }
    }
}
