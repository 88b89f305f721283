// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// An open shared object, of which nothing is believed that has not been checked.
///
/// Each offset and size in the file is compared with the file's end before anything is read there,
/// and nothing is allocated by a size that the file only claims. No code of it runs.
package struct ELFFile: ~Copyable, Sendable {
    package let header: ELFHeader
    /// In the order of the file.
    package let segments: [ELFSegment]
    let source: ELFSource

    package var status: FileStatus { source.status }

    /// Opens a file and checks that it is a whole shared object, for any machine.
    package init(_ path: String) throws(ELFError) {
        try self.init(ELFSource(path))
    }

    package init(_ source: consuming ELFSource) throws(ELFError) {
        let outline = try ELFOutline(of: source)
        header = outline.header
        segments = outline.segments
        self.source = source
    }
}
