// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import Glibc

extension HostSymbols {
    /// The requirements of a protocol, as this process has it, that a type does not implement and that have no
    /// default: a call of one of them would lead nowhere.
    ///
    /// - Parameters:
    ///   - protocolSymbol: The symbol of the protocol's descriptor.
    ///   - implemented: The symbols of the descriptors of the requirements that the type implements.
    /// - Returns: The symbols of the requirements' descriptors; `nil` if the process does not have the protocol.
    package static func requirements(
        of protocolSymbol: String, lackingIn implemented: [String]
    ) -> [String]? {
        guard let descriptor = dlsym(nil, protocolSymbol) else { return nil }
        let known = Set(implemented.compactMap { dlsym(nil, $0) })
        // SAFETY: the Swift ABI fixes the layout of the descriptor, which the symbol of that name is, for every
        // protocol that is compiled with library evolution (`TargetProtocolDescriptor`): 24 bytes, generic
        // requirements of 12 bytes, requirements of 8 bytes. Nothing ever unloads it.
        let generic = descriptor.load(fromByteOffset: 12, as: UInt32.self)
        let count = descriptor.load(fromByteOffset: 16, as: UInt32.self)
        let start = descriptor + 24 + 12 * Int(generic)
        return (0..<Int(count)).compactMap { index in
            let requirement = start + 8 * index
            let defaultImplementation = requirement.load(fromByteOffset: 4, as: Int32.self)
            guard defaultImplementation == 0, !known.contains(requirement) else { return nil }
            return name(at: requirement)
        }
    }

    /// The symbol at exactly this address. Slow: it looks at all symbols.
    private static func name(at address: UnsafeMutableRawPointer) -> String? {
        var found = Dl_info()
        guard dladdr(address, &found) != 0, found.dli_saddr == address, let name = found.dli_sname
        else { return nil }
        return String(cString: name)
    }
}
