// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesInterface
import EavesSystem
import Glibc

/// The lines of a shell: a person's, with a prompt and with libedit where that is possible, or those of a pipe or
/// a file.
struct ShellLines: Sendable {
    enum Line: Sendable {
        case text(String)
        /// The person has given up the line.
        case discarded
        case end
    }

    private let console: ShellConsole
    private let signals: ShellSignals
    /// `nil` if no person answers.
    private let prompt: String?
    private let editor: LineEditor?

    /// - Parameter complete: Gets the line up to the cursor.
    init(
        _ console: ShellConsole, _ signals: ShellSignals, prompt: String,
        complete: @escaping @Sendable (String) -> ShellCompletion.Result
    ) {
        self.console = console
        self.signals = signals
        guard console.isInteractive else {
            self.prompt = nil
            editor = nil
            return
        }
        self.prompt = prompt
        editor = LineEditor(
            CommandName.current.text, prompt: prompt, news: console.news,
            woken: { editor in
                console.printHeld()
                let news = signals.takeEditingNews()
                if news.isContinued { editor.goOn() }
                if news.isResized { editor.resize() }
                return news.isDiscarded
            }, complete: complete)
    }

    /// Waits for the next line, on a thread of its own.
    ///
    /// - Throws: `ConsoleError` if reading fails.
    func next() async throws -> Line {
        try console.flush()
        return try await DetachedThread.result { [self] in
            if let editor {
                console.beginHolding()
                signals.beginEditing()
                let line = editor.next()
                signals.endReading()
                console.endHolding()
                // The cursor stands behind the prompt.
                if case .end = line { try console.write("\n") }
                return line
            }
            if let prompt { try console.write(prompt) }
            try console.flush()
            guard signals.beginReading() else { return .end }
            defer { signals.endReading() }
            return try console.readLine().map { .text($0) } ?? .end
        }
    }
}
