// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Glibc

/// Asks for a text that the terminal does not show.
enum HiddenInput {
    /// Writes a question and waits for the answer, with the terminal's echo switched off.
    ///
    /// - Returns: The answer, or `nil` at the end of the input.
    static func ask(_ question: String, _ console: any Console) throws -> String? {
        var shown = termios()
        if console.isInteractive, isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &shown) == 0 {
            var hidden = shown
            hidden.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSADRAIN, &hidden)
        }
        defer {
            // Sets what `tcgetattr` has read; without a terminal, there is nothing to restore.
            if console.isInteractive, isatty(STDIN_FILENO) == 1 {
                tcsetattr(STDIN_FILENO, TCSADRAIN, &shown)
            }
        }
        let answer = try console.ask(question)
        try console.write("\n")
        return answer
    }
}
