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
    /// One of ``buckets`` lists in which to look for it: the same for each generation of its module.
    let bucket: Int

    /// How many lists there are.
    static var buckets: Int { 16 }

    init(
        request: consuming ServiceRequest, scope: consuming Scope, module: String?,
        place: consuming SourcePlace
    ) {
        bucket = Int(place.line % UInt(Self.buckets))
        self.request = request
        self.scope = scope
        self.module = module
        self.place = place
    }

    /// Whether the other one is the same registration of another generation, or of another container.
    func isAlike(_ other: RegistrationLabel) -> Bool {
        place == other.place && module == other.module && request == other.request
    }
}
