// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A name and its value in a parsed object.
package struct JSONMember: Hashable, Sendable {
    package var name: String
    /// Where the name stands, quotes included. In bytes.
    package var nameRange: Range<Int>
    package var value: JSONNode

    package init(name: String, nameRange: Range<Int>, value: JSONNode) {
        self.name = name
        self.nameRange = nameRange
        self.value = value
    }
}
