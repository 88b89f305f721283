// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CSystem
import EavesSystem
import Glibc

/// A file that lives in memory, for readers that want a path.
struct MemoryFile: ~Copyable, Sendable {
    private let descriptor: Int32

    /// Leads to the file as long as this value lives.
    var path: String { "/proc/self/fd/\(descriptor)" }

    init() {
        descriptor = memfd_create("input", UInt32(MFD_CLOEXEC))
        precondition(descriptor >= 0, "cannot create a file in memory")
    }

    deinit { close(descriptor) }

    /// Makes these bytes its whole content.
    func replace(with bytes: [UInt8]) {
        precondition(ftruncate(descriptor, off_t(bytes.count)) == 0)
        lseek(descriptor, 0, SEEK_SET)
        let isWritten = bytes.withUnsafeBufferPointer { OpenFile.write($0, to: descriptor) }
        precondition(isWritten, "no room in memory for \(bytes.count) bytes")
    }
}
