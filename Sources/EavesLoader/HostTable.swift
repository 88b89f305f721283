// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves

/// The host that a module is shown while it registers: this one, or one that it could meet elsewhere.
package struct HostTable: Hashable, Sendable {
    /// This host.
    package static var current: HostTable { HostTable() }
    /// A host that accepts no feature.
    package static let refusing = HostTable(refuses: true)
    /// A host whose ABI no module knows.
    package static let unknown = HostTable(abiVersion: .max)
    /// A later host of the same ABI: its table has grown at its end.
    package static let later = HostTable(growth: EntryCall.room)

    var abiVersion = UInt32(EAVES_ABI_VERSION)
    /// By how much the table says to be larger. In bytes.
    var growth: UInt32 = 0
    var refuses = false
}
