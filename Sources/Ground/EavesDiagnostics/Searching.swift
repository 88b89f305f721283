// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Searches that the standard library lacks, or does in a way that does not serve here.

// These search by hand, byte by byte: with Swift's own search, every start of the command would
// load the library that contains it.
extension String {
    package func includes(_ text: String) -> Bool {
        utf8.firstOccurrence(of: text.utf8) != nil
    }

    /// Returns the part after the first occurrence of a text; `nil` if the text does not occur.
    package func part(after text: String) -> Substring? {
        utf8.firstOccurrence(of: text.utf8).map { self[$0.upperBound...] }
    }

    /// Returns the part before the first occurrence of a text; `nil` if the text does not occur.
    package func part(before text: String) -> Substring? {
        utf8.firstOccurrence(of: text.utf8).map { self[..<$0.lowerBound] }
    }

    /// Returns the string without all occurrences of a text, which must not be empty.
    package func removing(_ text: String) -> String {
        substituting(text, with: "")
    }

    /// Returns the string with another text in the place of a text, which must not be empty.
    ///
    /// - Parameter isMeant: Whether to replace an occurrence that this follows.
    package func substituting(
        _ text: String, with other: String, where isMeant: (Substring) -> Bool = { _ in true }
    ) -> String {
        var done = ""
        var rest = self[...]
        while let found = rest.utf8.firstOccurrence(of: text.utf8) {
            let following = rest[found.upperBound...]
            done += rest[..<found.lowerBound] + (isMeant(following) ? other : text)
            rest = following
        }
        return done + rest
    }
}

extension Collection where Element == UInt8 {
    func firstOccurrence(of text: some Collection<UInt8>) -> Range<Index>? {
        var start = startIndex
        while !self[start...].starts(with: text) {
            if start == endIndex { return nil }
            formIndex(after: &start)
        }
        return start..<index(start, offsetBy: text.count)
    }
}

extension Sequence {
    /// Returns the first result that is not nil, and asks for no further ones.
    ///
    /// Each element is asked once. `lazy.compactMap(…).first` asks the one that it finds twice, and traps if the second
    /// answer is nil, as that of a file may be that has gone meanwhile; so the gate refuses it.
    @inlinable package func firstNonNil<Result>(_ transform: (Element) -> Result?) -> Result? {
        for element in self {
            if let result = transform(element) { return result }
        }
        return nil
    }
}

/// Finds the names that a mistyped word may stand for.
package enum NearMatch {
    /// Returns at most three candidates, nearest first. A candidate is near if it can be made by
    /// changing at most a third of the word's letters, or if it begins with the word.
    package static func suggestions(
        for word: String, among candidates: some Sequence<String>
    ) -> [String] {
        let wanted = Array(word.lowercased().unicodeScalars)
        let limit = max(1, wanted.count / 3)
        return Set(candidates)
            .map { name in
                let letters = Array(name.lowercased().unicodeScalars)
                // Words of such different lengths are not compared letter by letter: a line may be very long.
                let difference = abs(wanted.count - letters.count)
                return (
                    name: name,
                    distance: difference > limit ? difference : distance(wanted, letters)
                )
            }
            .filter {
                $0.distance <= limit
                    || ($0.name.lowercased().hasPrefix(word.lowercased()) && wanted.count > 1)
            }
            .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
            .prefix(3)
            .map(\.name)
    }

    /// Returns a question that can follow a message, such as `did you mean 'users'?`; `nil` if no candidate is near.
    package static func question(
        for word: String, among candidates: some Sequence<String>
    ) -> String? {
        let names = suggestions(for: word, among: candidates).map { "'\($0)'" }
        guard let last = names.last else { return nil }
        let choice =
            names.count == 1 ? last : names.dropLast().joined(separator: ", ") + " or " + last
        return "did you mean \(choice)?"
    }

    /// Returns the question with a comma before it, as it follows a message; empty if no candidate is near.
    package static func suffix(
        for word: String, among candidates: some Sequence<String>
    ) -> String {
        question(for: word, among: candidates).map { ", \($0)" } ?? ""
    }

    /// Returns how many insertions, deletions, replacements and swaps of neighbours turn one word
    /// into the other (optimal string alignment).
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
                var best = min(replaced, last[column + 1] + 1, current[column] + 1)
                let isSwap =
                    row > 0 && column > 0 && left[row] == right[column - 1]
                    && left[row - 1] == right[column]
                if isSwap { best = min(best, beforeLast[column - 1] + 1) }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
