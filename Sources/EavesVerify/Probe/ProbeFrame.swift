// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesCatalog
import EavesLoader
import EavesSystem

/// A function that was running when the probe died.
package struct ProbeFrame: Hashable, Sendable {
    /// The id of the module that it is of; `nil` if it is of the host or of a library.
    package let module: String?
    /// Whether it is of the host's own program.
    let isProgram: Bool
    /// The file that it was mapped from.
    let file: String
    /// The function and how far in it, as people write it; the file and the place in it where no
    /// table of symbols tells.
    package let place: String

    /// Reads the symbols of the file that a line of the report names.
    ///
    /// - Parameters:
    ///   - line: `frame OFFSET ID PATH`, as `crash_report.h` has it.
    ///   - originals: The files of modules by id, for those whose copy is gone.
    init?(_ line: String, originals: [String: String]) {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4, words[0] == "frame", let offset = UInt64(words[1], radix: 16) else {
            return nil
        }
        file = String(words[3])
        isProgram = words[2] == "."
        module = isProgram || words[2] == "-" ? nil : String(words[2])
        let found =
            Self.function(at: offset, in: file)
            ?? module.flatMap { originals[$0] }.flatMap { Self.function(at: offset, in: $0) }
        if let found {
            let name = ReadableName.of(HostSymbols.demangled(found.name))
            place = "\(name) + \(found.offset)"
        } else {
            place = "\(Path.name(of: file)) + 0x\(String(offset, radix: 16))"
        }
    }

    private static func function(at offset: UInt64, in file: String) -> ELFFunction? {
        // Where a file cannot be read, the place in it is all that can be told.
        guard let elf = try? ELFFile(file) else { return nil }
        return try? elf.function(atOffset: offset)
    }
}
