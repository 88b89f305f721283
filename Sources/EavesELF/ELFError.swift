// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// Why a file is no shared object that could be loaded.
package enum ELFError: Error, Hashable, Sendable {
    /// A part of the file that contradicts the rest.
    package enum Part: String, Hashable, Sendable {
        case header, programHeaders, segments, notes, dynamicSection, symbols
    }

    case unreadable(SystemError)
    /// A directory, a pipe or the like.
    case notAFile(FileStatus.Kind)
    case empty
    /// The file does not start as ELF files do; `start` is up to 8 bytes of it.
    case notELF(start: [UInt8])
    /// For a 32-bit machine.
    case wrongClass
    /// For a big-endian machine.
    case wrongByteOrder
    case notSharedObject(ELFKind)
    /// A position-independent executable, which the header alone calls a shared object.
    case executable
    /// What the file says of itself reaches beyond its end. Both in bytes.
    case truncated(needs: UInt64, has: UInt64)
    case malformed(Part)
}
