// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// Writes values one after the other, as ``CacheCursor`` reads them.
struct CacheText {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.littleEndian) { bytes += $0 }
    }

    mutating func add(_ text: String) {
        add(UInt32(text.utf8.count))
        bytes += text.utf8
    }

    mutating func add(_ text: String?) {
        add(UInt8(text == nil ? 0 : 1))
        if let text { add(text) }
    }

    mutating func add<Element>(
        _ elements: [Element], each: (inout CacheText, Element) -> Void
    ) {
        add(UInt32(elements.count))
        for element in elements { each(&self, element) }
    }

    mutating func add(_ identity: FileIdentity) {
        add(identity.device)
        add(identity.inode)
        add(identity.size)
        add(identity.modified)
        add(identity.changed)
    }

    /// A text that C can read where it stands.
    ///
    /// - Returns: Where it stands.
    mutating func addName(_ name: String) -> Int {
        defer { bytes.append(0) }
        let start = bytes.count
        bytes += name.utf8
        return start
    }

    mutating func add(_ other: CacheText) {
        bytes += other.bytes
    }
}
