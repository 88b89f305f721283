// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The lines that the crash handlers of a process have written, as `crash_report.h` defines them. Code of a module may have
/// written lines among them.
package struct CrashReport: Hashable, Sendable {
    package private(set) var lines: [String] = []
    /// A line that has not come as a whole.
    private var rest: [UInt8] = []
    private var size = 0
    /// The word behind the last word of a report, which the module's code was not told; empty for none.
    private let secret: String

    /// The largest report. In bytes.
    private static let limit = 1 << 20

    package init(secret: String = "") { self.secret = secret }

    /// Adds the next bytes.
    ///
    /// - Returns: `false` if there are more of them than the handlers write.
    @discardableResult
    package mutating func append(_ bytes: [UInt8]) -> Bool {
        size += bytes.count
        guard size <= Self.limit else { return false }
        rest += bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            if end > 0 { lines.append(String(decoding: rest[..<end], as: UTF8.self)) }
            rest.removeSubrange(...end)
        }
        return true
    }

    /// Whether the handlers have reported which code was running.
    package var isWhole: Bool { lines.contains(lastLine) }

    private var lastLine: String { secret.isEmpty ? "end" : "end \(secret)" }

    /// The lines of the first report; empty if none was written to its end. If several threads have reported, the first one
    /// counts.
    private var first: ArraySlice<String> {
        guard let end = lines.firstIndex(of: lastLine) else { return [] }
        // Code of the module may have written other lines before.
        let start = lines[..<end].lastIndex { line in
            ["crash ", "exit "].contains(where: line.hasPrefix) || line == "stuck"
        }
        return lines[(start ?? end)..<end]
    }

    /// The functions that were running, innermost first.
    ///
    /// - Parameter originals: The files of modules by id, for modules whose private copy is gone.
    package func frames(originals: [String: String]) -> [CrashFrame] {
        first.compactMap { CrashFrame($0, originals: originals) }
    }

    /// The id of the module that the handlers blame; `nil` for none.
    package var blamed: String? {
        first.first { $0.hasPrefix("blame ") }.map { String($0.dropFirst("blame ".count)) }
    }
}
