// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface
import Synchronization

// SAFETY: every stored property is an immutable Sendable value or an atomic; the subclass adds only
// such.
/// A factory's entry in a container: what it makes, and who registered it where.
package class Registration: @unchecked Sendable {
    let key: ServiceKey
    /// The service's type.
    let service: ObjectIdentifier
    /// The key's hash.
    let hash: UInt
    /// Points to the instance, a value of the service's type, once a shared one has been made.
    /// Set once, by the subclass, which owns the memory.
    let made = Atomic<UnsafeRawPointer?>(nil)
    /// What it makes, in words.
    package let request: ServiceRequest
    package let scope: Scope
    /// Whether it is made anew each time.
    let isTransient: Bool
    /// Its bit among what a thread is building.
    let buildingBit: UInt64
    /// The id of the module that registered it; `nil` for the host itself.
    package let module: String?
    package let place: SourcePlace
    /// How it is made, if `resolve` cannot make it.
    let awaited: (any Awaited)?

    init(
        key: ServiceKey, service: Any.Type, request: ServiceRequest, scope: Scope,
        module: String?, place: SourcePlace, awaited: (any Awaited)? = nil
    ) {
        self.key = key
        self.service = ObjectIdentifier(service)
        hash = key.hash
        self.request = request
        self.scope = scope
        isTransient = scope == .transient
        buildingBit = 1 << UInt64(hash >> (UInt.bitWidth - 6))
        self.module = module
        self.place = place
        self.awaited = awaited
    }

    /// - Parameter other: What to take over, without what it made.
    init(renewing other: Registration) {
        key = other.key
        service = other.service
        hash = other.hash
        request = other.request
        scope = other.scope
        isTransient = other.isTransient
        buildingBit = other.buildingBit
        module = other.module
        place = other.place
        awaited = other.awaited?.renewed()
    }

    /// The same registration as it was before anything was made.
    func renewed() -> Registration {
        preconditionFailure("the subclass knows")
    }

    /// Whether the instance of a scope that keeps one is there.
    package var isMade: Bool { made.load(ordering: .acquiring) != nil }
}

extension Registration: CustomStringConvertible {
    /// What, by whom, and where: `UserService (users-memory, UsersMemory/UsersMemoryModule.swift:8)`.
    package var description: String { "\(request) (\(module ?? "host"), \(place))" }
}
