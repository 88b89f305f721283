// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import Synchronization

/// The interface modules that are linked into this process. A process has one copy of each, whatever hosts
/// it makes.
///
/// Safe from any thread.
package enum LinkedInterfaces {
    private static let interfaces = Mutex<[ProgramInterface]>([])

    /// All that were declared, in order, as the rules want them.
    static var inProfile: [ProgramInterface] { interfaces.withLock { $0 } }

    /// Declares interfaces of the program. Declaring the same one twice changes nothing.
    ///
    /// - Throws: `ProgramError` if a version is not one.
    package static func declare(_ added: [LinkedInterface]) throws {
        guard !added.isEmpty else { return }
        let checked = try added.map { interface in
            guard let version = InterfaceVersion(interface.version) else {
                throw ProgramError.badInterfaceVersion(interface)
            }
            return ProgramInterface(
                id: interface.id, module: interface.module, version: version,
                owner: interface.owner)
        }
        interfaces.withLock { known in
            for interface in checked where !known.contains(interface) { known.append(interface) }
        }
    }
}
