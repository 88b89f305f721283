// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
import EavesJSON
import Glibc

/// Real binaries, each compiled once in a run.
package enum Binaries {
    /// A module as an author in C writes it, with room for any note.
    package static let module = Result { try CCompiler.first().compile(source(note: placeholder)) }
    package static let withoutNote = Result { try CCompiler.first().compile(entry) }
    package static let executable = Result {
        try CCompiler.first().compile("void _start(void) {}", ["-pie"])
    }
    package static let fixedExecutable = Result {
        try CCompiler.first().compile("void _start(void) {}", ["-no-pie", "-static"])
    }
    package static let object = Result { try CCompiler.first().compile(entry, ["-c"]) }

    /// The entry point of a module.
    package static let entry = "int eaves_register(const void *host) { return host == 0; }\n"

    /// The number of bytes that a note of ``module`` has.
    package static let room = 4000
    package static let placeholder = "@@NOTE@@"

    /// A module whose note holds this text.
    package static func module(note: String) throws -> [UInt8] {
        try module(note: Array(note.utf8))
    }

    /// A module whose note holds these bytes, which are fewer than ``room``.
    package static func module(note: [UInt8]) throws -> [UInt8] {
        try filling(placeholder, room: room, with: note, in: module.get())
    }

    /// Returns a copy of a binary with other bytes in the place of a mark.
    ///
    /// - Parameter room: The number of bytes at the mark. Zero bytes follow the new ones.
    package static func filling(
        _ mark: String, room: Int, with bytes: [UInt8], in binary: [UInt8]
    ) throws -> [UInt8] {
        let mark = Array(mark.utf8)
        guard let start = binary.firstIndex(of: mark) else {
            throw FixtureError("the module has no mark to replace")
        }
        guard bytes.count < room else { throw FixtureError("\(bytes.count) bytes do not fit") }
        var binary = binary
        binary.replaceSubrange(
            start..<start + room, with: bytes + Array(repeating: 0, count: room - bytes.count))
        return binary
    }

    /// The source of a module with a note, as `Documentation/OtherLanguages.md` shows it.
    package static func source(
        note: String, owner: String = "FDO", type: String = "0xcafe1a7e",
        entry: String = entry
    ) -> String {
        let text = note.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : "\($0)" }.joined()
        return """
            #define NOTE "\(text)"
            __attribute__((section(".note.package"), used, aligned(4)))
            static const struct {
                unsigned owner_size, content_size, type;
                char owner[4];
                char content[\(room)];
            } note = { 4, \(room), \(type), "\(owner)", NOTE };
            \(entry)
            """
    }
}

extension [UInt8] {
    /// Where these bytes have others first. The C library searches: in a debug build, a loop over all of them
    /// takes long.
    fileprivate func firstIndex(of part: [UInt8]) -> Int? {
        // SAFETY: the array keeps its place during the call, and no search reaches beyond its end.
        withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let first = part.first else { return nil }
            var start = 0
            while let found = memchr(base + start, Int32(first), bytes.count - start) {
                let index = UnsafeRawPointer(found) - base
                if bytes[index...].starts(with: part) { return index }
                start = index + 1
            }
            return nil
        }
    }
}

extension Binaries {
    /// A module with this note.
    package static func module(_ note: ModuleNote) throws -> [UInt8] {
        try module(note: note.json.text(pretty: false))
    }
}
