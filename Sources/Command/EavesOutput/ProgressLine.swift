// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesSystem
import Glibc
import Synchronization

/// Tells how far a build has come. On a terminal, one line at the bottom changes while the build runs:
/// `[3/12] swift-collections 31 s, users 2 s`. Elsewhere, a line says that another build program has begun, as such
/// a program is silent until it ends.
///
/// The line is not output: it is gone before anything else is printed, and after the build.
final class ProgressLine: Sendable {
    private struct State {
        var isDrawn = false
        /// Whether another program may print at the terminal.
        var hasEnded = false
        /// The modules whose beginning was told.
        var told: Set<String> = []
    }

    private let terminal: Terminal
    private let state = Mutex(State())

    /// For how long a module is compiled before the line is drawn: a shorter build needs none.
    private static let delay = Duration.milliseconds(500)

    init(_ terminal: Terminal) {
        self.terminal = terminal
    }

    func show(_ status: BuildStatus) {
        guard let screen = terminal.messageScreen else { return tellBeginnings(status) }
        guard let first = status.compiling.first, first.duration >= Self.delay else { return }
        let text = status.text(columns: screen.columns - 1)
        state.withLock { state in
            if state.hasEnded { return }
            state.isDrawn = true
            Self.draw(text)
        }
    }

    /// Makes place for another line.
    func clear() {
        state.withLock { state in
            if state.isDrawn { Self.draw("") }
            state.isDrawn = false
        }
    }

    /// Draws no line from now on.
    func end() {
        clear()
        state.withLock { $0.hasEnded = true }
    }

    private func tellBeginnings(_ status: BuildStatus) {
        for module in status.compiling {
            guard let program = module.program,
                state.withLock({ $0.told.insert(module.id).inserted })
            else { continue }
            terminal.say("compiling \(module.id) with '\(program)'")
        }
    }

    /// Writes over the line, from its first column, and clears the rest of it.
    private static func draw(_ text: String) {
        Array("\r\(text)\u{1b}[K\(text.isEmpty ? "" : "\r")".utf8).withUnsafeBufferPointer {
            _ = OpenFile.write($0, to: STDERR_FILENO)
        }
    }
}

extension BuildStatus {
    /// The progress on one line, which is cut where the terminal ends.
    func text(columns: Int) -> String {
        let modules = compiling.map { "\($0.id.escapedLine) \($0.duration.components.seconds) s" }
        return "[\(done)/\(count)] \(modules.joined(separator: ", "))".cut(to: columns)
    }
}
