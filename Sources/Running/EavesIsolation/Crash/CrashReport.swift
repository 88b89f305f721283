// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesELF
import EavesManifest
import EavesSystem

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
        let newline = UInt8(ascii: "\n")
        guard let end = rest.lastIndex(of: newline) else { return true }
        lines += rest[..<end].split(separator: newline).map { String(decoding: $0, as: UTF8.self) }
        rest.removeSubrange(...end)
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
    /// - Parameters:
    ///   - originals: The files of modules by id, for modules whose private copy is gone.
    ///   - only: Whether frames of other modules are left out, and no file is read that the report names.
    package func frames(originals: [String: String], only: Bool = false) -> [CrashFrame] {
        first.compactMap { CrashFrame($0, originals: originals, only: only) }
    }

    /// The id of the module that the handlers blame; `nil` for none.
    package var blamed: String? {
        first.first { $0.hasPrefix("blame ") }.map { String($0.dropFirst("blame ".count)) }
    }
}

/// A function that was running when a process crashed.
package struct CrashFrame: Hashable, Sendable {
    /// The id of the module that it belongs to; `nil` if it belongs to the host or to a library.
    package let module: String?
    /// The file that its code was mapped from.
    package let file: String
    /// The function's readable name and the offset in it. Without a table of symbols, the file's name
    /// and the offset in the file.
    package let place: String

    /// Reads the table of symbols of the file that a line of the report names.
    ///
    /// - Parameters:
    ///   - line: `frame OFFSET ID PATH`, as `crash_report.h` defines it.
    ///   - originals: The files of modules by id, for modules whose private copy is gone.
    ///   - only: Whether there is no frame of another module, and the file of the line is not read.
    package init?(_ line: String, originals: [String: String], only: Bool = false) {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4, words[0] == "frame", let offset = UInt64(words[1], radix: 16) else {
            return nil
        }
        file = String(words[3])
        module = [".", "-"].contains(words[2]) ? nil : String(words[2])
        let original = module.flatMap { originals[$0] }
        if only, original == nil { return nil }
        let found =
            (only ? nil : Self.function(at: offset, in: file))
            ?? original.flatMap { Self.function(at: offset, in: $0) }
        if let found {
            let name = ReadableName.of(SymbolName.demangled(found.name))
            place = "\(name) + \(found.offset)"
        } else {
            place = "\(Path.name(of: file)) + 0x\(String(offset, radix: 16))"
        }
    }

    private static func function(at offset: UInt64, in file: String) -> ELFFunction? {
        // If a file cannot be read, the offset in it is all that is known.
        guard let elf = try? ELFFile(file) else { return nil }
        return try? elf.function(atOffset: offset)
    }
}

/// Makes a demangled name readable: it removes the file's digest from private functions, the build's digest from the
/// module's name, and the words for a part of a function that goes on after it has awaited something.
///
/// Written by hand, because a regular expression would make every start of the command load two
/// libraries.
struct ReadableName {
    private var rest: ArraySlice<UInt8>
    private var kept: [UInt8] = []

    static func of(_ name: String) -> String {
        // Such as `(1) suspend resume partial function for`.
        let part = name.hasPrefix("(") ? name.part(after: " resume partial function for ") : nil
        var reading = ReadableName(rest: Array((part ?? name[...]).utf8)[...])
        while !reading.rest.isEmpty { reading.step() }
        return String(decoding: reading.kept, as: UTF8.self)
    }

    private mutating func step() {
        if let (name, length) = privateName() {
            kept += name
            rest = rest.dropFirst(length)
        } else if startsWithDigest {
            rest = rest.dropFirst(Self.digestLength)
        } else {
            kept.append(rest.removeFirst())
        }
    }

    /// `color` of `(color in _0123456789ABCDEF0123456789ABCDEF)`, and the length of the whole.
    private func privateName() -> (name: ArraySlice<UInt8>, length: Int)? {
        guard rest.first == UInt8(ascii: "(") else { return nil }
        let name = rest.dropFirst().prefix(while: Self.isOfWord)
        let file = rest[name.endIndex...]
        let introduction = Array(" in _".utf8)
        let digits = file.dropFirst(introduction.count)
            .prefix { "0123456789ABCDEF".utf8.contains($0) }
        guard !name.isEmpty, file.starts(with: introduction), digits.count == 32,
            rest[digits.endIndex...].first == UInt8(ascii: ")")
        else { return nil }
        return (name, digits.endIndex + 1 - rest.startIndex)
    }

    /// Whether the build's digest comes next and is not a part of a longer word.
    private var startsWithDigest: Bool {
        guard rest.first == UInt8(ascii: "_"),
            rest.dropFirst().prefix(while: { "0123456789abcdef".utf8.contains($0) }).count
                >= Self.digestLength - 1
        else { return false }
        return rest.dropFirst(Self.digestLength).first.map { !Names.isLetterOrDigit($0) } ?? true
    }

    /// Includes the underscore before the digits.
    private static let digestLength = 13

    /// Any character beyond ASCII counts, because operators do not stand in parentheses.
    private static func isOfWord(_ byte: UInt8) -> Bool {
        Names.isLetterOrDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }
}
