// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Command lines as compilers print them, in the quotes of a shell.
package enum CommandLines {
    /// The words of one line.
    ///
    /// - Returns: `nil` if a quote is not closed, or the line has something besides words: a comment, say.
    static func words(of line: some StringProtocol) -> [String]? {
        var words: [String] = []
        // `nil` between two words.
        var word: [UInt8]?
        var quote: UInt8?
        var isEscaped = false
        for byte in line.utf8 {
            if isEscaped {
                word = (word ?? []) + [byte]
                isEscaped = false
                continue
            }
            switch (byte, quote) {
            case (UInt8(ascii: "'"), UInt8(ascii: "'")), (UInt8(ascii: "\""), UInt8(ascii: "\"")):
                quote = nil
            case (UInt8(ascii: "\\"), let quote) where quote != UInt8(ascii: "'"):
                isEscaped = true
            case (UInt8(ascii: "'"), nil), (UInt8(ascii: "\""), nil):
                quote = byte
                word = word ?? []
            case (UInt8(ascii: " "), nil):
                if let word { words.append(String(decoding: word, as: UTF8.self)) }
                word = nil
            case (UInt8(ascii: "#"), nil) where word == nil:
                return nil
            default:
                word?.append(byte)
                if word == nil { word = [byte] }
            }
        }
        guard quote == nil, !isEscaped else { return nil }
        if let word { words.append(String(decoding: word, as: UTF8.self)) }
        return words
    }
}

/// The texts in the command lines of a module that differ from one build to the next: the private folder, the
/// name for symbols, and the note. All of them are so long, or so much a build's own, that they occur nowhere
/// by chance.
package struct VaryingTexts: Hashable, Sendable {
    /// In the order in which they are looked for. None is empty.
    private let texts: [String]

    /// - Parameter command: A command line of the driver.
    package init(of command: some Collection<String>, folder: String) {
        let words = Array(command)
        let metadata = words.first { $0.hasPrefix(Self.metadata) }
            .map { String($0.dropFirst(Self.metadata.count)) }
        let name = words.firstIndex(of: "-module-abi-name").flatMap { index in
            words.indices.contains(index + 1) ? words[index + 1] : nil
        }
        texts = [metadata ?? "", name ?? "", folder]
    }

    private static let metadata = "--package-metadata="

    /// A word with a mark in the place of each of the texts.
    func marked(_ word: String) -> String {
        texts.indices.reduce(word) { word, index in
            Self.replacing(texts[index], in: word, with: Self.mark(index))
        }
    }

    /// A word with these texts in the place of the marks.
    package func unmarked(_ word: String) -> String {
        guard word.utf8.contains(Self.markByte) else { return word }
        return texts.indices.reduce(word) { word, index in
            Self.replacing(Self.mark(index), in: word, with: texts[index])
        }
    }

    /// A byte that no command line has: paths may have it, and then they are not taken apart.
    static let markByte: UInt8 = 1

    /// The mark that stands for the private folder.
    static let folderMark = mark(2)

    private static func mark(_ index: Int) -> String { "\u{1}\(index)\u{1}" }

    private static func replacing(_ text: String, in word: String, with other: String) -> String {
        if text.isEmpty { return word }
        let (sought, bytes) = (Array(text.utf8), Array(word.utf8))
        guard bytes.count >= sought.count else { return word }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == sought[0], bytes[index...].starts(with: sought) {
                result += other.utf8
                index += sought.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
