// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A change of the module that a service is bound to.
package struct Swap: Hashable, Sendable {
    package let service: String
    /// The module before; `nil` if the manifest bound the service to none.
    package let from: String?
    /// The module after.
    package let to: String
}
