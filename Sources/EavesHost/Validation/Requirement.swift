// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// That a module says it asks another one for a service.
package struct Requirement: Hashable, Sendable {
    /// The id of the module that asks.
    package let module: String
    package let service: String
    /// The id of the module that the service comes from.
    package let provider: String
}
