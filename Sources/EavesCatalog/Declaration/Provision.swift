// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A service that a module says it registers an implementation for.
package struct Provision: Hashable, Sendable {
    package var service: String
    /// Sets several implementations of one service apart.
    package var name: String?

    package init(service: String, name: String? = nil) {
        self.service = service
        self.name = name
    }
}

extension Provision: CustomStringConvertible {
    /// `UserService`, or `UserService 'archive'` with a name.
    package var description: String {
        name.map { "\(service) '\($0)'" } ?? service
    }
}
