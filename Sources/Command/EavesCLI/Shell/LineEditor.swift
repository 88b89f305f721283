// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesLineEditor
import EavesSystem
import Glibc

/// Lets a person edit a line at a terminal, with a history and with completion, by libedit.
///
/// - Note: One thread at a time may call it.
// SAFETY: one thread at a time uses it, because the shell waits for each line. It lives as long as the process.
final class LineEditor: @unchecked Sendable {
    private var editor: OpaquePointer?
    private let woken: @Sendable (LineEditor) -> Bool
    private let complete: @Sendable (String) -> ShellCompletion.Result

    /// - Parameters:
    ///   - news: Wakes the editor, which then calls `woken`.
    ///   - woken: May print, and returns whether the line is to be given up.
    ///   - complete: Gets the line up to the cursor.
    /// - Returns: `nil` if there is no libedit, or it does not take this terminal.
    init?(
        _ program: String, prompt: String, news: EventFlag,
        woken: @escaping @Sendable (LineEditor) -> Bool,
        complete: @escaping @Sendable (String) -> ShellCompletion.Result
    ) {
        self.woken = woken
        self.complete = complete
        guard !["", "dumb"].contains(Environment.value(of: "TERM") ?? "") else {
            return nil
        }
        Self.chooseCharacters()
        let functions = eaves_line_editor_calls(
            // SAFETY: this reference counts until the process ends, as the editor lives.
            context: Unmanaged.passRetained(self).toOpaque(),
            woken: { context in
                guard let editor = LineEditor.editor(context) else { return 1 }
                return editor.woken(editor) ? 1 : 0
            },
            complete: { context, before, insertion, listing in
                guard let before, let editor = LineEditor.editor(context) else { return }
                let result = editor.complete(String(cString: before))
                insertion?.pointee = strdup(result.insertion)
                listing?.pointee = strdup(result.listing)
            })
        editor = eaves_line_editor_make(program, prompt, news.descriptor, functions)
        if editor == nil { return nil }
    }

    private static func editor(_ context: UnsafeMutableRawPointer?) -> LineEditor? {
        // SAFETY: it is the reference that `init` has passed.
        context.map { Unmanaged<LineEditor>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Without the person's locale, characters are those of UTF-8, as in all that the command prints.
    private static func chooseCharacters() {
        setlocale(LC_CTYPE, "")
        if String(cString: nl_langinfo(Int32(CODESET))) != "UTF-8" {
            setlocale(LC_CTYPE, "C.UTF-8")
        }
    }

    /// Waits for a line.
    func next() -> ShellLines.Line {
        var line: UnsafePointer<CChar>?
        switch Int(eaves_line_editor_read(editor, &line)) {
        case EAVES_LINE_READ:
            guard let line else { return .end }
            let text = String(cString: line)
            if text.contains(where: { $0 != " " }) { eaves_line_editor_remember(editor, line) }
            return .text(text)
        case EAVES_LINE_GIVEN_UP: return .discarded
        default: return .end
        }
    }

    /// Draws for another size of the terminal from now on.
    func resize() { eaves_line_editor_resized(editor) }

    /// Takes the terminal again after the process was stopped.
    func goOn() { eaves_line_editor_continued(editor) }
}
