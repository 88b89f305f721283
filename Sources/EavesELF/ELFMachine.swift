// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

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
}

extension ELFMachine: CustomStringConvertible {
    /// As target triples write it: `x86_64`, `aarch64`.
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
