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
/// Written by hand, because a regular expression would make every start of the command load two libraries.
enum ReadableName {
    static func of(_ name: String) -> String {
        // Such as `(1) suspend resume partial function for`.
        let part = name.hasPrefix("(") ? name.part(after: " resume partial function for ") : nil
        // The words, and each character between them.
        var rest = part ?? name[...]
        var words: [Substring] = []
        while !rest.isEmpty {
            let word = rest.prefix(while: isOfWord)
            words.append(word.isEmpty ? rest.prefix(1) : word)
            rest = rest[words[words.count - 1].endIndex...]
        }
        var kept = ""
        var left = words[...]
        while let word = left.first {
            // `color` of `(color in _0123456789ABCDEF0123456789ABCDEF)`.
            let next = Array(left.prefix(7))
            let isPrivate =
                next.count == 7 && word == "(" && next[1].allSatisfy(isOfWord)
                && next[2...4] == [" ", "in", " "]
                && isDigest(next[5], of: 32, in: "0123456789ABCDEF") && next[6] == ")"
            let shown = isPrivate ? next[1] : word
            let digest = shown.suffix(13)
            kept += shown.dropLast(isDigest(digest, of: 12, in: "0123456789abcdef") ? 13 : 0)
            left = left.dropFirst(isPrivate ? 7 : 1)
        }
        return kept
    }

    private static func isOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || !character.isASCII
    }

    /// Whether a word is an underscore and so many digits.
    private static func isDigest(_ word: Substring, of count: Int, in digits: String) -> Bool {
        word.first == "_" && word.dropFirst().count == count
            && word.dropFirst().allSatisfy(digits.contains)
    }
}
