// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// What the file system says of a file, in short: as long as it is the same, so is the content.
package struct ContentStamp: Hashable, Sendable {
    package let text: String

    package init(_ status: FileStatus) {
        let state = [
            UInt64(status.size), status.device, status.inode,
            UInt64(bitPattern: status.modified), UInt64(bitPattern: status.changed),
        ]
        text = state.map { String($0, radix: 36) }.chained(by: "-")
    }

    init(text: String) {
        self.text = text
    }
}
