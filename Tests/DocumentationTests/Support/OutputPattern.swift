// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// An output as a document shows it. `…` inside a line stands for any text, such as a time; a line that
/// is only `…` stands for any lines.
struct OutputPattern {
    private let lines: [String]

    /// - Parameter lines: Empty lines at the end do not count: they separate commands.
    init(_ lines: [String]) {
        let end = lines.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? 0
        self.lines = Self.ordered(Array(lines[..<end]))
    }

    func matches(_ output: String) -> Bool {
        var found = output.split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        while found.last == "" { found.removeLast() }
        return Self.match(lines[...], Self.ordered(found)[...])
    }

    private static func match(
        _ pattern: ArraySlice<String>, _ found: ArraySlice<String>
    ) -> Bool {
        guard let first = pattern.first else { return found.isEmpty }
        if first == "…" {
            return (found.startIndex...found.endIndex).contains { start in
                match(pattern.dropFirst(), found[start...])
            }
        }
        guard let line = found.first, matchLine(first, line) else { return false }
        return match(pattern.dropFirst(), found.dropFirst())
    }

    private static func matchLine(_ pattern: String, _ line: String) -> Bool {
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
        guard parts.count > 1, let first = parts.first, let last = parts.last else {
            return pattern == line
        }
        guard line.hasPrefix(first) else { return false }
        var rest = line.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    /// Sorts neighbouring lines about builds: modules are compiled at the same time, in no fixed order.
    private static func ordered(_ lines: [String]) -> [String] {
        let groups = lines.reduce(into: [[String]]()) { groups, line in
            let joins = isBuilt(line) && groups.last.map { isBuilt($0[0]) } ?? false
            if joins {
                groups[groups.count - 1].append(line)
            } else {
                groups.append([line])
            }
        }
        return groups.flatMap { $0.sorted() }
    }

    private static func isBuilt(_ line: String) -> Bool { line.hasPrefix("built ") }
}
