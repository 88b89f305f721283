// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import Synchronization

/// The interface modules that are linked into this process. A process has one copy of each, whatever hosts
/// it makes.
///
/// Safe from any thread.
package enum LinkedInterfaces {
    private static let interfaces = Mutex<[LinkedInterface]>([])

    /// All that were declared, in order.
    package static var all: [LinkedInterface] { interfaces.withLock { $0 } }

    /// Declares interfaces of the program. Declaring the same one twice changes nothing.
    ///
    /// - Throws: `ProgramError` if a version is not one.
    package static func declare(_ added: [LinkedInterface]) throws {
        guard !added.isEmpty else { return }
        for interface in added where InterfaceVersion(interface.version) == nil {
            throw ProgramError.badInterfaceVersion(interface)
        }
        interfaces.withLock { known in
            for interface in added where !known.contains(interface) { known.append(interface) }
        }
    }
}
