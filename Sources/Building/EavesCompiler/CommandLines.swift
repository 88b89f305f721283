// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesDiagnostics

/// The words of a command line, split as `sh` does it with simple quoting: text between two `'` stays as it is; between
/// two `"`, a backslash takes away the meaning of `"`, `\`, `$` and a backquote; elsewhere, of any character. A word
/// that begins with `#` begins a comment.
package struct ShellLine {
    package private(set) var words: [String] = []
    package private(set) var hasComment = false
    /// The character that begins a quotation without an end; `nil` if there is none.
    package private(set) var unfinished: Character?

    package init(_ line: some StringProtocol) {
        // Changed in place, so that the time grows with the length of the line and no faster.
        var word: String.UnicodeScalarView?
        var quote: Unicode.Scalar?
        var rest = line.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if quote == nil, " \t\r\n".unicodeScalars.contains(scalar) {
                if let ended = word.take() { words.append(String(ended)) }
                continue
            }
            hasComment = quote == nil && word == nil && scalar == "#"
            if hasComment { return }
            if word == nil { word = String.UnicodeScalarView() }
            switch scalar {
            case quote: quote = nil
            case "'" where quote == nil, "\"" where quote == nil: quote = scalar
            case "\\" where quote != "'":
                guard let next = rest.popFirst() else {
                    unfinished = "\\"
                    return
                }
                if quote != nil, !"\"\\$`".unicodeScalars.contains(next) { word?.append(scalar) }
                word?.append(next)
            default: word?.append(scalar)
            }
        }
        unfinished = quote.map { Character($0) }
        if let word { words.append(String(word)) }
    }
}

/// The texts in the command lines of a module that differ from one build to the next: the private folder, the name for
/// symbols, and the note. All of them are so long, or so much a build's own, that they occur nowhere by chance.
package struct VaryingTexts: Hashable, Sendable {
    /// In the order in which they are looked for; empty where the command has none.
    private let texts: [String]

    /// - Parameter command: A command line of the driver.
    package init(of command: some Collection<String>, folder: String) {
        let words = Array(command)
        let metadata = words.first { $0.hasPrefix(Self.metadata) }
            .map { String($0.dropFirst(Self.metadata.count)) }
        texts = [metadata ?? "", words.value(of: "-module-abi-name") ?? "", folder]
    }

    private static let metadata = "--package-metadata="

    /// A word with a mark in the place of each of the texts.
    func marked(_ word: String) -> String {
        texts.indices.reduce(word) { word, index in
            let text = texts[index]
            return text.isEmpty ? word : word.substituting(text, with: Self.mark(index))
        }
    }

    /// A word with these texts in the place of the marks.
    package func unmarked(_ word: String) -> String {
        guard word.utf8.contains(Self.markByte) else { return word }
        return texts.indices.reduce(word) { word, index in
            word.substituting(Self.mark(index), with: texts[index])
        }
    }

    /// A byte that no command line has: paths may have it, and then they are not taken apart.
    static let markByte: UInt8 = 1

    /// The mark that stands for the private folder.
    static let folderMark = mark(2)

    private static func mark(_ index: Int) -> String { "\u{1}\(index)\u{1}" }
}
