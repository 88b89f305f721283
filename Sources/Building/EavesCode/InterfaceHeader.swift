// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The lines of a textual interface that begin with `// swift-`. They look like comments, and the compiler obeys them:
/// it takes options from them, and some options make it run a program.
///
/// An interface comes from a file that others may have made, so its header is written anew, with options that only
/// say how the text is to be read. Whatever is not known to be harmless is left out.
package enum InterfaceHeader {
    private static let mark = "// swift-"

    /// The lines that the compiler reads, and what may follow each.
    private static let kinds: [(name: String, admitted: @Sendable (Substring) -> String?)] = [
        ("interface-format-version", { isPlain($0) ? String($0) : nil }),
        ("compiler-version", { String($0) }),
        ("module-flags", options),
        ("module-flags-ignorable", options),
        ("module-flags-ignorable-private", options),
    ]

    /// The text with its header written anew. Rewriting it again changes nothing.
    static func rewritten(_ bytes: [UInt8]) -> [UInt8] {
        // The compiler takes such a line wherever it stands, and of several the first.
        var seen: Set<String> = []
        let newline = UInt8(ascii: "\n")
        let lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
        let kept = lines.compactMap { line -> ArraySlice<UInt8>? in
            guard line.starts(with: mark.utf8) else { return line }
            let text = String(decoding: line.dropFirst(mark.utf8.count), as: UTF8.self)
            guard let end = text.firstIndex(of: ":"),
                let kind = kinds.first(where: { $0.name == text[..<end] }),
                let words = kind.admitted(text[text.index(after: end)...].drop { $0 == " " }),
                seen.insert(kind.name).inserted
            else { return nil }
            return Array("\(mark)\(kind.name): \(words)".utf8)[...]
        }
        return Array(kept.joined(separator: [newline]))
    }

    /// The options that say how the text is to be read.
    private static let switches: Set<String> = [
        "-O", "-Onone", "-Osize", "-Ounchecked", "-enable-library-evolution",
        "-enable-objc-interop",
        "-disable-objc-interop", "-enable-bare-slash-regex", "-enforce-exclusivity=checked",
        "-enforce-exclusivity=unchecked", "-strict-memory-safety", "-enable-ossa-modules",
        "-no-verify-emitted-module-interface", "-formal-cxx-interoperability-mode=off",
    ]

    /// Those of them that a word follows.
    private static let settings: Set<String> = [
        "-target", "-swift-version", "-language-mode", "-module-name", "-module-abi-name",
        "-package-name",
        "-user-module-version", "-enable-upcoming-feature", "-enable-experimental-feature",
        "-default-isolation", "-interface-compiler-version",
    ]

    /// The admitted ones among options, with the words that follow them.
    private static func options(_ text: Substring) -> String {
        let words = text.split(separator: " ")
        var kept: [Substring] = []
        var place = words.startIndex
        while place < words.endIndex {
            let (word, next) = (words[place], place + 1)
            place = next
            if switches.contains(String(word)) {
                kept.append(word)
            } else if next < words.endIndex,
                settings.contains(String(word)) && isPlain(words[next])
                    || word == "-module-alias" && isAlias(words[next])
            {
                kept += [word, words[next]]
                place = next + 1
            }
        }
        return kept.joined(separator: " ")
    }

    /// The name that the compiler gives a module in the text, so that no type has it.
    static func alias(of module: some StringProtocol) -> String { "Module___\(module)" }

    /// Whether a word gives a module that name: `Module___Clock=Clock`.
    private static func isAlias(_ word: Substring) -> Bool {
        let names = word.split(separator: "=", omittingEmptySubsequences: false)
        return names.count == 2 && isPlain(names[1]) && names[0] == alias(of: names[1])
    }

    /// Whether a word is the value of an option for everybody: no option, no path, nothing in quotes.
    static func isPlain(_ word: Substring) -> Bool {
        word.first != "-"
            && word.utf8.allSatisfy { $0.isPartOfWord || ".-+".utf8.contains($0) }
    }
}
