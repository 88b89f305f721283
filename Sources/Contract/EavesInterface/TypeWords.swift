// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Turns the runtime's name of a type into the one that people write.
///
/// The runtime calls `any Repo<Int>` `any Repo<Self.Repo.Item == Int>`.
enum TypeWords {
    /// A name without paths from `Self`. If a protocol has several of them, the runtime does not know the
    /// order in which they were written, so each keeps its own name: `any Table<Key == Int, Row == Text>`.
    static func readable(_ name: String) -> String {
        // Most types have no brackets, and looking for a text takes longer than for a byte.
        guard name.utf8.contains(UInt8(ascii: "<")),
            let start = name.firstRange(of: "<Self.")?.lowerBound,
            let end = closing(start, in: name)
        else { return name }
        let parts = split(name[name.index(after: start)..<end])
        let constraints = parts.map { constraint($0, isOnly: parts.count == 1) }
        return name[..<start] + "<" + constraints.joined(separator: ", ") + ">"
            + readable(String(name[name.index(after: end)...]))
    }

    /// - Parameter part: Such as `Self.Repo.Item == Int`.
    private static func constraint(_ part: Substring, isOnly: Bool) -> String {
        guard let equals = part.firstRange(of: " == ") else { return readable(String(part)) }
        let type = readable(String(part[equals.upperBound...]))
        guard !isOnly, let label = part[..<equals.lowerBound].split(separator: ".").last else {
            return type
        }
        return "\(label) == \(type)"
    }

    /// The place of the bracket that closes the one at `start`.
    private static func closing(_ start: String.Index, in name: String) -> String.Index? {
        var depth = 0
        var previous: Character = " "
        for index in name[start...].indices {
            let character = name[index]
            depth += change(character, after: previous)
            if depth == 0 { return index }
            previous = character
        }
        return nil
    }

    /// Splits a list at the commas that stand in no bracket.
    private static func split(_ list: Substring) -> [Substring] {
        var parts: [Substring] = []
        var depth = 0
        var begin = list.startIndex
        var previous: Character = " "
        for index in list.indices {
            let character = list[index]
            depth += change(character, after: previous)
            if depth == 0, character == "," {
                parts.append(list[begin..<index])
                begin = list.index(index, offsetBy: 2, limitedBy: list.endIndex) ?? list.endIndex
            }
            previous = character
        }
        return parts + [list[begin...]]
    }

    /// The change that a character makes to the depth of brackets. The `>` of an arrow does not.
    private static func change(_ character: Character, after previous: Character) -> Int {
        switch character {
        case "<", "(", "[": 1
        case ">" where previous == "-": 0
        case ">", ")", "]": -1
        default: 0
        }
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The first place of a text.
    fileprivate func firstRange(of text: String) -> Range<Index>? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(text) {
                return index..<self.index(index, offsetBy: text.count)
            }
            index = self.index(after: index)
        }
        return nil
    }
}
