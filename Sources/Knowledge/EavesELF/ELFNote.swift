// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// One note: a few bytes that a linker or an author put into a file for tools to find.
package struct ELFNote: Hashable, Sendable {
    package let owner: String
    package let type: UInt32
    package let content: [UInt8]
}

extension ELFFile {
    /// The limit of all notes of a file together; a module's take a few hundred bytes.
    private static let maximumNotes: UInt64 = 256 << 10

    /// Reads the notes in the file's segments, in their order.
    package func notes() throws(ELFError) -> [ELFNote] {
        var notes: [ELFNote] = []
        var room = Self.maximumNotes
        for segment in segments where segment.kind == .note {
            let bytes = try source.bytes(
                at: segment.offset, count: segment.fileSize, limit: room, of: .notes)
            room -= segment.fileSize
            try Self.collect(bytes, alignment: segment.alignment == 8 ? 8 : 4, into: &notes)
        }
        return notes
    }

    private static func collect(
        _ bytes: ArraySlice<UInt8>, alignment: Int, into notes: inout [ELFNote]
    ) throws(ELFError) {
        let headerSize = 12
        var rest = bytes
        while rest.count >= headerSize {
            let fields = ELFBytes(rest)
            let ownerSize = Int(fields.integer(at: 0, as: UInt32.self))
            let contentSize = Int(fields.integer(at: 4, as: UInt32.self))
            let contentStart = aligned(headerSize + ownerSize, to: alignment)
            let contentEnd = contentStart + contentSize
            guard contentEnd <= rest.count else { throw .malformed(.notes) }
            let owner = rest.dropFirst(headerSize).prefix(ownerSize).prefix { $0 != 0 }
            notes.append(
                ELFNote(
                    owner: String(decoding: owner, as: UTF8.self),
                    type: fields.integer(at: 8),
                    content: Array(rest.dropFirst(contentStart).prefix(contentSize))))
            rest = rest.dropFirst(aligned(contentEnd, to: alignment))
        }
    }

    private static func aligned(_ count: Int, to alignment: Int) -> Int {
        (count + alignment - 1) / alignment * alignment
    }
}
