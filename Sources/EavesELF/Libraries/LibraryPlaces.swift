// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Where the dynamic linker of this process looks for libraries, beside what a file itself says.
package struct LibraryPlaces: Hashable, Sendable {
    /// The host's own run path.
    package var host: [String]
    /// `LD_LIBRARY_PATH`, as it was when the process started.
    package var environment: [String]
    /// The folders of the system.
    package var system: [String]
    /// The list of the libraries that `ldconfig` found.
    package var cache: String

    package init(
        host: [String] = [], environment: [String] = [], system: [String],
        cache: String = "/etc/ld.so.cache"
    ) {
        self.host = host
        self.environment = environment
        self.system = system
        self.cache = cache
    }
}
