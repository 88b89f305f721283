// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesSystem

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
    package init?(_ line: String, originals: [String: String]) {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4, words[0] == "frame", let offset = UInt64(words[1], radix: 16) else {
            return nil
        }
        file = String(words[3])
        module = [".", "-"].contains(words[2]) ? nil : String(words[2])
        let found =
            Self.function(at: offset, in: file)
            ?? module.flatMap { originals[$0] }.flatMap { Self.function(at: offset, in: $0) }
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
