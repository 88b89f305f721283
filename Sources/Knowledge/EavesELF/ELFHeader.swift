// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The first 64 bytes of a 64-bit little-endian ELF file.
package struct ELFHeader: Hashable, Sendable {
    /// The place of a table in the file, all of whose entries have one size.
    package struct Table: Hashable, Sendable {
        package var offset: UInt64
        package var entrySize: UInt64
        package var count: UInt64
    }

    /// In bytes.
    static let size = 64
    /// The four bytes that every ELF file starts with.
    static let magic: [UInt8] = [0x7f, 0x45, 0x4c, 0x46]

    package let kind: ELFKind
    package let machine: ELFMachine
    package let segments: Table
    package let sections: Table
    let sectionNames: Int

    /// Reads the header and checks that the file is of the one class, byte order and version that
    /// this reader knows.
    ///
    /// - Parameter start: The start of the file, up to its first page.
    init(start: ArraySlice<UInt8>) throws(ELFError) {
        guard start.starts(with: Self.magic.prefix(start.count)) else {
            throw .notELF(start: Array(start.prefix(8)))
        }
        guard start.count >= Self.size else {
            throw .truncated(needs: UInt64(Self.size), has: UInt64(start.count))
        }
        let bytes = ELFBytes(start.prefix(Self.size))
        try Self.checkIdentity(bytes)
        kind = ELFKind(rawValue: bytes.integer(at: 16))
        machine = ELFMachine(rawValue: bytes.integer(at: 18))
        segments = Table(
            offset: bytes.integer(at: 32),
            entrySize: UInt64(bytes.integer(at: 54, as: UInt16.self)),
            count: UInt64(bytes.integer(at: 56, as: UInt16.self)))
        sections = Table(
            offset: bytes.integer(at: 40),
            entrySize: UInt64(bytes.integer(at: 58, as: UInt16.self)),
            count: UInt64(bytes.integer(at: 60, as: UInt16.self)))
        sectionNames = Int(bytes.integer(at: 62, as: UInt16.self))
    }

    private static func checkIdentity(_ bytes: ELFBytes) throws(ELFError) {
        let fileClass: UInt8 = bytes.integer(at: 4)
        guard fileClass == 2 else {
            throw fileClass == 1 ? .wrongClass : .malformed(.header)
        }
        let byteOrder: UInt8 = bytes.integer(at: 5)
        guard byteOrder == 1 else {
            throw byteOrder == 2 ? .wrongByteOrder : .malformed(.header)
        }
        let versions = (
            bytes.integer(at: 6, as: UInt8.self), bytes.integer(at: 20, as: UInt32.self)
        )
        guard versions == (1, 1) else { throw .malformed(.header) }
        try checkSystem(bytes)
    }

    /// Checks the system that the file is built for, and that the rest of the identity is empty.
    ///
    /// The dynamic linker of Linux loads files for any Unix (0) and for Linux (3); files for Linux may need a
    /// later version of its ABI, of which there have been four.
    private static func checkSystem(_ bytes: ELFBytes) throws(ELFError) {
        let (anyUnix, linux): (UInt8, UInt8) = (0, 3)
        let system: UInt8 = bytes.integer(at: 7)
        guard system == anyUnix || system == linux else { throw .wrongSystem(system) }
        let version: UInt8 = bytes.integer(at: 8)
        guard version == 0 || (system == linux && version < 4),
            // With the version, eight bytes; the other seven are reserved.
            bytes.integer(at: 8, as: UInt64.self) == UInt64(version)
        else { throw .malformed(.header) }
    }
}

/// The purpose of an ELF file: `e_type` of its header.
package struct ELFKind: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package static let object = ELFKind(rawValue: 1)
    package static let executable = ELFKind(rawValue: 2)
    package static let sharedObject = ELFKind(rawValue: 3)
    package static let coreDump = ELFKind(rawValue: 4)
}

extension ELFKind: CustomStringConvertible {
    package var description: String {
        switch self {
        case .object: "an object file that is not linked"
        case .executable: "an executable"
        case .sharedObject: "a shared object"
        case .coreDump: "a core dump"
        default: "an ELF file of type \(rawValue)"
        }
    }
}

/// The processor that a binary is built for: `e_machine` of its header.
package struct ELFMachine: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package static let x86 = ELFMachine(rawValue: 3)
    package static let powerPC64 = ELFMachine(rawValue: 21)
    package static let s390 = ELFMachine(rawValue: 22)
    package static let arm = ELFMachine(rawValue: 40)
    package static let x86_64 = ELFMachine(rawValue: 62)
    package static let aarch64 = ELFMachine(rawValue: 183)
    package static let riscv = ELFMachine(rawValue: 243)

    /// The processor that this host is built for.
    package static var current: ELFMachine {
        #if arch(x86_64)
            .x86_64
        #elseif arch(arm64)
            .aarch64
        #elseif arch(riscv64)
            .riscv
        #else
            #error("name this processor's e_machine here")
        #endif
    }

    /// Whether the dynamic linker makes stacks executable for a file that says nothing about them.
    ///
    /// glibc does so on x86-64 and not on AArch64. On all other machines, this supposes the worse.
    var hasExecutableStackByDefault: Bool { self != .aarch64 }
}

extension ELFMachine: CustomStringConvertible {
    /// The name in target triples: `x86_64`, `aarch64`.
    package var description: String {
        switch self {
        case .x86: "i386"
        case .powerPC64: "powerpc64"
        case .s390: "s390x"
        case .arm: "arm"
        case .x86_64: "x86_64"
        case .aarch64: "aarch64"
        case .riscv: "riscv64"
        default: "machine \(rawValue)"
        }
    }
}
