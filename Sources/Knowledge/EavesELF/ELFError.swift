// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
package import EavesSystem

/// The reason why a file is not a shared object that could be loaded.
package enum ELFError: Error, Hashable, Sendable {
    /// A part of the file that contradicts the rest, in words.
    package enum Part: String, Hashable, Sendable {
        case header, segments, notes
        case programHeaders = "table of segments"
        case dynamicSection = "dynamic section"
        case symbols = "table of symbols"
        case relocations = "table of relocations"
        case conformances = "records of Swift conformances"
        case protocols = "descriptors of Swift protocols"
    }

    case unreadable(SystemError)
    /// The path leads to a directory, a pipe or the like.
    case notAFile(FileStatus.Kind)
    case empty
    /// The file is larger than any module, and is not read. In bytes.
    case tooLarge(size: Int)
    /// The file does not start as ELF files do; `start` is up to 8 bytes of it.
    case notELF(start: [UInt8])
    case wrongClass
    case wrongByteOrder
    /// The file is built for another system: the number is that of its OS and ABI, `EI_OSABI`.
    case wrongSystem(UInt8)
    case notSharedObject(ELFKind)
    /// The file is a position-independent executable, which the header alone calls a shared object.
    case executable
    /// The file refers to bytes beyond its end. Both numbers in bytes.
    case truncated(needs: UInt64, has: UInt64)
    /// The file has its size and not all of its content: its table of sections, at this offset, ends in zeros.
    case unwritten(from: UInt64)
    case malformed(Part)

    /// The problem, expected against found, without the file's name.
    package var message: String {
        switch self {
        case .unreadable(let error) where error.errno.meansMissing: "the file is not there"
        case .unreadable(let error): "cannot \(error.action.rawValue) the file: \(error.errno)"
        case .notAFile(let kind): "expected a shared object, found \(kind.words)"
        case .empty: "expected a shared object, found an empty file"
        case .tooLarge(let size):
            "expected a file of at most \(FileStatus.moduleSizeLimit >> 30) GiB, "
                + "found one of \(size) bytes"
        case .notELF(let start):
            "expected a shared object, found a file that begins with "
                + String(decoding: start, as: UTF8.self).quoted
        case .wrongClass: "built for a 32-bit machine, this host is 64-bit"
        case .wrongByteOrder: "built for a big-endian machine, this host is little-endian"
        case .wrongSystem(let number):
            "built for \(Self.system(number)), this host runs on Linux"
        case .notSharedObject(let kind): "expected a shared object, found \(kind)"
        case .executable: "expected a shared object, found an executable"
        case .truncated(let needs, let has) where needs == .max:
            "the file is damaged: it points beyond its \(has) bytes"
        case .truncated(let needs, let has):
            "the file is cut short: it needs \(needs) bytes and has \(has)"
        case .unwritten(let offset):
            "the file is not written to its end: its table of sections, from byte \(offset) on, "
                + "is not complete"
        case .malformed(let part):
            "the file is damaged: malformed \(part.rawValue)"
        }
    }

    /// The name of a system, as `EI_OSABI` numbers them.
    private static func system(_ number: UInt8) -> String {
        switch number {
        case 1: "HP-UX"
        case 2: "NetBSD"
        case 6: "Solaris"
        case 7: "AIX"
        case 8: "IRIX"
        case 9: "FreeBSD"
        case 12: "OpenBSD"
        default: "the system with the number \(number) (EI_OSABI)"
        }
    }
}

extension FileStatus.Kind {
    fileprivate var words: String {
        switch self {
        case .file: "a file"
        case .directory: "a directory"
        case .pipe: "a named pipe"
        case .socket: "a socket"
        case .device: "a device"
        case .link: "a symbolic link"
        case .unknown: "something that is not a file"
        }
    }
}
