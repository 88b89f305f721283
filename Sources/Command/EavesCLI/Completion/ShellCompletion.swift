// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesOutput

/// Completes what a person types at the prompt of a shell.
struct ShellCompletion {
    /// The effect of a completion on the screen.
    struct Result: Equatable {
        /// Is inserted at the cursor.
        var insertion = ""
        /// Is printed below the line.
        var listing = ""
    }

    let words: Completion

    init(_ words: Completion) {
        self.words = words
    }

    /// The commands of a shell, and the words of a manifest and of its modules as they are on the disk.
    init(_ manifest: Manifest?) {
        var words = Completion(
            Subcommand.ofShell.map { CompletedCommand($0, inShell: true) })
        if let manifest { words.add(manifest) }
        self.words = words
    }

    /// Completes the last word of a line.
    ///
    /// - Parameter line: The text up to the cursor.
    func complete(_ line: String) -> Result {
        let start = line.lastIndex(of: " ").map { line.index(after: $0) } ?? line.startIndex
        let word = String(line[start...])
        let before = line[..<start].split(separator: " ").map(String.init)
        let matches = words.candidates(after: before, for: word).map(\.word)
        guard let first = matches.first else { return Result() }
        if matches.count == 1 { return Result(insertion: first.dropFirst(word.count) + " ") }
        let common = matches.dropFirst().reduce(Substring(first)) { common, match in
            common.prefix(zip(common, match).prefix { $0 == $1 }.count)
        }
        if common.count > word.count {
            return Result(insertion: String(common.dropFirst(word.count)))
        }
        return Result(listing: matches.map(\.escapedLine).joined(separator: "  ") + "\n")
    }
}
