// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The dynamic section speaks of addresses in memory, which the segments lead back into the file.
extension ELFFile {
    /// The bytes that will stand at an address.
    func bytes(
        atAddress address: UInt64, count: UInt64, limit: UInt64, of part: ELFError.Part
    ) throws(ELFError) -> ArraySlice<UInt8> {
        for segment in segments where segment.kind == .load {
            if let place = segment.place(of: address), count <= place.room {
                return try source.bytes(at: place.offset, count: count, limit: limit, of: part)
            }
        }
        throw .malformed(part)
    }

    /// The bytes that will stand at an address: `count`, or fewer if their segment ends there.
    func bytes(
        atAddress address: UInt64, upTo count: UInt64, of part: ELFError.Part
    ) throws(ELFError) -> ArraySlice<UInt8> {
        for segment in segments where segment.kind == .load {
            if let place = segment.place(of: address), place.room > 0 {
                let count = min(count, place.room)
                return try source.bytes(at: place.offset, count: count, limit: count, of: part)
            }
        }
        throw .malformed(part)
    }
}
