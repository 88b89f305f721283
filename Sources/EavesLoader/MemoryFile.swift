// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc

/// Files that live in memory, and nowhere else.
package enum MemoryFile {
    /// Opens a new one; -1, with `errno` set, if there is none to be had.
    ///
    /// - Parameter name: What debuggers call it.
    package static func open(_ name: String) -> Int32 {
        memfd_create(name, UInt32(MFD_CLOEXEC))
    }
}
