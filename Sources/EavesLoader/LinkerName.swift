// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

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

    /// In its lowest bits, of which there is one for each step.
    private static func hash(of path: String) -> UInt64 {
        var whole = FNV1a()
        whole.add(path)
        return [32, 16, 8].reduce(whole.hash) { $0 ^ $0 >> $1 }
    }
}
