// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// The values of a registration whose size is known only at run time.
///
/// They stand in an object of their own, so that the hot path finds all properties of a registration and its
/// subclass at fixed places. Copies of a registration share the object: so it is also the identity of what
/// was registered, and it keeps nothing of the module alive.
final class RegistrationLabel: Sendable {
    let request: ServiceRequest
    let scope: Scope
    let module: String?
    let place: SourcePlace

    init(
        request: consuming ServiceRequest, scope: consuming Scope, module: String?,
        place: consuming SourcePlace
    ) {
        self.request = request
        self.scope = scope
        self.module = module
        self.place = place
    }
}
