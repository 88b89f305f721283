// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc

/// The fuzzer's input as a file in memory, for functions that take a path.
struct InputFile: ~Copyable, Sendable {
    private let file: OpenFile
    private var descriptor: Int32 { file.descriptor }

    /// The file's path, valid as long as this value lives.
    var path: String { "/proc/self/fd/\(descriptor)" }

    init() {
        do {
            file = try MemoryFile.open("input")
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Replaces the whole content of the file.
    func replace(with bytes: [UInt8]) {
        precondition(ftruncate(descriptor, off_t(bytes.count)) == 0)
        lseek(descriptor, 0, SEEK_SET)
        let isWritten = bytes.withUnsafeBufferPointer { OpenFile.write($0, to: descriptor) }
        precondition(isWritten, "no room in memory for \(bytes.count) bytes")
    }
}

/// A random number generator (SplitMix64). Its numbers follow from its state, so that a run can be
/// repeated.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Creates a generator whose numbers follow from an input.
    init(of bytes: [UInt8]) {
        var hash = FNV1a()
        for byte in bytes { hash.add(byte) }
        state = hash.hash
    }

    init(state: UInt64) {
        self.state = state
    }
}
