// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A service that a module of the layer `core` needs and that only features provide.
package struct UpwardNeed: Hashable, Sendable {
    package let service: String
    /// The ids of the modules that provide it, sorted. Never empty.
    package let providers: [String]

    package init(service: String, providers: [String]) {
        self.service = service
        self.providers = providers
    }
}

extension UpwardNeed: CustomStringConvertible {
    /// Such as `UserService (of login)`.
    package var description: String {
        "\(service) (of \(providers.joined(separator: ", ")))"
    }
}
