// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

/// That something was made.
package struct Creation: Sendable {
    /// What it is.
    package let request: ServiceRequest
    package let scope: Scope
    /// The id of the module that registered it; `nil` for the host itself.
    package let module: String?
    /// Where it is registered.
    package let place: SourcePlace
    /// How long it took, with all that was made for it.
    package let duration: Duration

    init(_ registration: Registration, duration: Duration) {
        request = registration.request
        scope = registration.scope
        module = registration.module
        place = registration.place
        self.duration = duration
    }
}
