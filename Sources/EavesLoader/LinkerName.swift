// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The name under which the dynamic linker is given a file.
///
/// glibc compares it with the name of every object that it has, from the first byte on (`elf/dl-load.c`,
/// `_dl_map_object`). Files of one folder differ at their ends only: with a thousand of them that takes a
/// tenth of the time, and more where the path is long. Behind eight steps that lead nowhere, `/.` or `//`,
/// they differ within the 16 bytes that are compared at once.
package enum LinkerName {
    /// In bytes.
    private static let lead = 16

    /// The same for the same path. What is not absolute stays as it is.
    package static func of(_ path: String) -> String {
        guard path.utf8.first == UInt8(ascii: "/") else { return path }
        let hash = hash(of: path)
        return String(unsafeUninitializedCapacity: lead + path.utf8.count) { name in
            for step in 0..<lead / 2 {
                name[2 * step] = UInt8(ascii: "/")
                name[2 * step + 1] = UInt8(ascii: hash >> step & 1 == 0 ? "/" : ".")
            }
            _ = UnsafeMutableBufferPointer(rebasing: name[lead...]).update(from: path.utf8)
            return lead + path.utf8.count
        }
    }

    /// FNV-1a, folded to as many bits as there are steps.
    private static func hash(of path: String) -> UInt32 {
        var hash: UInt32 = 0x811c_9dc5
        for byte in path.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return hash >> 24 ^ hash >> 16 ^ hash >> 8 ^ hash
    }
}
