// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What an ELF file is for: `e_type` of its header.
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
