// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc

/// The fuzzer's input as a file in memory, for functions that take a path.
struct InputFile: ~Copyable, Sendable {
    private let descriptor: Int32

    /// The file's path, valid as long as this value lives.
    var path: String { "/proc/self/fd/\(descriptor)" }

    init() {
        descriptor = MemoryFile.open("input")
        precondition(descriptor >= 0, "cannot create a file in memory")
    }

    deinit { close(descriptor) }

    /// Replaces the whole content of the file.
    func replace(with bytes: [UInt8]) {
        precondition(ftruncate(descriptor, off_t(bytes.count)) == 0)
        lseek(descriptor, 0, SEEK_SET)
        let isWritten = bytes.withUnsafeBufferPointer { OpenFile.write($0, to: descriptor) }
        precondition(isWritten, "no room in memory for \(bytes.count) bytes")
    }
}
