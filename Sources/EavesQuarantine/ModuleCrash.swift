// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// One crash of a module.
package struct ModuleCrash: Hashable, Sendable {
    /// In seconds since 1970.
    package let time: Int
    /// The number of the signal.
    package let signal: Int32
    /// The process that it took along.
    package let process: Int

    package init(time: Int, signal: Int32, process: Int) {
        self.time = time
        self.signal = signal
        self.process = process
    }
}
