// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// What the file system says of a file, in short: as long as it is the same, so is the content.
package struct ContentStamp: Hashable, Sendable {
    package let text: String

    package init(_ status: FileStatus) {
        text = FileIdentity(status).text
    }

    init(text: String) {
        self.text = text
    }
}
