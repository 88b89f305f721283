// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A fenced block of a Markdown document.
struct Fence: Hashable, Sendable {
    /// What stands behind the opening fence, word by word.
    let info: [String]
    let lines: [String]
    /// The line of the opening fence, from 1 on.
    let line: Int

    /// All fenced blocks of a text, in order.
    static func all(in text: String) -> [Fence] {
        var fences: [Fence] = []
        var open: (info: [String], line: Int)?
        var content: [String] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if !line.hasPrefix("```") {
                if open != nil { content.append(String(line)) }
            } else if let start = open {
                fences.append(Fence(info: start.info, lines: content, line: start.line))
                open = nil
            } else {
                let words = line.drop { $0 == "`" }.split(separator: " ").map(String.init)
                open = (words, index + 1)
                content = []
            }
        }
        return fences
    }
}
