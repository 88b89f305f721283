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
        var kept = ""
        var rest = self[...]
        while let found = rest.utf8.firstOccurrence(of: text.utf8) {
            kept += rest[..<found.lowerBound]
            rest = rest[found.upperBound...]
        }
        return kept + rest
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
