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
    // What resolving looks at stands before what has no size until the program runs.
    /// Whether it is made anew each time, with nothing else to do than to call the factory.
    let isTransient: Bool
    /// Its bit among what a thread is building.
    let buildingBit: UInt64
    /// Points to the instance, a value of the service's type, once a shared one has been made.
    /// Set once, by the subclass, which owns the memory.
    let made = Atomic<UnsafeRawPointer?>(nil)
    /// What it makes, in words.
    package let request: ServiceRequest
    package let scope: Scope
    /// The id of the module that registered it; `nil` for the host itself.
    package let module: String?
    package let place: SourcePlace
    let traits: RegistrationTraits
    // SAFETY: set by the container before anybody else can find the registration, and constant from
    // then on. Whoever resolves holds the container.
    /// The container that it is registered in.
    nonisolated(unsafe) var owner: Unmanaged<Container>?

    init(
        key: ServiceKey, service: Any.Type, request: consuming ServiceRequest,
        scope: consuming Scope, module: String?, place: consuming SourcePlace,
        traits: consuming RegistrationTraits
    ) {
        self.key = key
        self.service = ObjectIdentifier(service)
        hash = key.hash
        self.request = request
        isTransient = scope == .transient && traits.isPlain
        self.scope = scope
        self.traits = traits
        buildingBit = 1 << UInt64(hash >> (UInt.bitWidth - 6))
        self.module = module
        self.place = place
    }

    /// - Parameter other: What to take over, without what it made.
    init(copying other: Registration, key: ServiceKey, traits: RegistrationTraits) {
        self.key = key
        self.traits = traits
        owner = other.owner
        service = other.service
        hash = key.hash
        request = other.request
        scope = other.scope
        isTransient = other.scope == .transient && traits.isPlain
        buildingBit = 1 << UInt64(hash >> (UInt.bitWidth - 6))
        module = other.module
        place = other.place
    }

    /// The same factory, under a key and with traits of its own, before anything was made.
    func copied(key: ServiceKey, traits: RegistrationTraits) -> Registration {
        preconditionFailure("the subclass knows")
    }

    /// A registration that decorates what this one makes; `nil` if it makes another service.
    func decorated(by decorator: Decorator) -> Registration? {
        preconditionFailure("the subclass knows")
    }

    /// The key under which it stands where another module's is chosen.
    var alternativeKey: ServiceKey {
        preconditionFailure("the subclass knows")
    }

    /// What it makes when a container is asked for it; `nil` if it takes arguments, which only those
    /// who ask have.
    package func instance(from container: Container) throws(ResolutionError) -> Any? {
        preconditionFailure("the subclass knows")
    }

    /// Whether the instance of a scope that keeps one is there.
    package var isMade: Bool { made.load(ordering: .acquiring) != nil }
}

extension Registration: CustomStringConvertible {
    /// What, by whom, and where: `UserService (users-memory, UsersMemory/UsersMemoryModule.swift:8)`.
    package var description: String { "\(request) (\(module ?? "host"), \(place))" }
}
