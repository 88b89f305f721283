// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface
import Synchronization

// SAFETY: every stored property is an immutable Sendable value or an atomic; the subclass adds only
// such.
/// An entry of a container, without its service's type: the key, the scope, and the place in the
/// source. ``Factory`` is its only subclass.
package class Registration: @unchecked Sendable, CustomStringConvertible {
    let key: ServiceKey
    let service: ObjectIdentifier
    let hash: UInt
    /// Whether resolving only has to call the factory: the scope keeps nothing, and nothing follows the creation.
    let isDirect: Bool
    /// Whether another service answers instead of a factory.
    let isForwarded: Bool
    /// Whether each call draws the module that answers.
    let drawsModule: Bool
    /// The bit that stands for this registration in a thread's set of running factories.
    let creationBit: UInt64
    /// Points to the instance, a value of the service's type, once the scope keeps one. The subclass sets it once, and
    /// owns the memory.
    let created = Atomic<UnsafeRawPointer?>(nil)
    /// The id of the module that registered it; `nil` for the host itself.
    package let module: String?
    let label: RegistrationLabel
    let traits: RegistrationTraits
    // SAFETY: the registrar sets it before anything else can find the registration, and it is constant from then on.
    /// The way of its calls through the gate of the generation which registered it; `nil` if that has no life cycle.
    nonisolated(unsafe) var door: CallGate.Door? {
        didSet { entry = door.map { .passUnretained($0) } }
    }
    /// The same, for calls, which count no references.
    nonisolated(unsafe) private(set) var entry: Unmanaged<CallGate.Door>?

    /// Whether the state that its module keeps is with another generation by now.
    var hasLostState: Bool { base.door.map { $0.gate.keepsState && $0.gate.isOver } ?? false }
    // SAFETY: the container sets both before anything else can find the registration, and they are constant
    // from then on. Everything that resolves holds the container.
    nonisolated(unsafe) var owner: Unmanaged<Container>?
    /// Leads to the account of its module's calls; `nil` for the host itself.
    nonisolated(unsafe) var book: CallAccounts.Book?

    init(
        key: ServiceKey, service: Any.Type, request: consuming ServiceRequest,
        scope: consuming Scope, module: String?, place: consuming SourcePlace,
        traits: consuming RegistrationTraits
    ) {
        self.key = key
        self.service = ObjectIdentifier(service)
        hash = key.hash
        isDirect = scope == .transient && !traits.isCompleted
        isForwarded = traits.isForwarded
        drawsModule = traits.shares != nil
        label = RegistrationLabel(key: key, request: request, scope: scope, place: place)
        self.traits = traits
        creationBit = 1 << UInt64(hash >> (UInt.bitWidth - 6))
        self.module = module
    }

    /// Copies a registration, without what it created.
    init(copying other: Registration, key: ServiceKey, traits: RegistrationTraits) {
        self.key = key
        self.traits = traits
        owner = other.owner
        book = other.book
        (door, entry) = (other.door, other.entry)
        service = other.service
        hash = key.hash
        label = other.label
        isDirect = other.scope == .transient && !traits.isCompleted
        isForwarded = other.isForwarded
        drawsModule = traits.shares != nil
        creationBit = 1 << UInt64(hash >> (UInt.bitWidth - 6))
        module = other.module
    }

    package var request: ServiceRequest { label.request }
    package var scope: Scope { label.scope }
    package var place: SourcePlace { label.place }

    /// The service with module and place, such as `UserService (users-memory, UsersMemory/UsersMemoryModule.swift:8)`.
    package var description: String { "\(request) (\(module ?? "host"), \(place))" }

    /// A registration of the same factory with another key and other traits, which has created nothing.
    func copied(key: ServiceKey, traits: RegistrationTraits) -> Registration {
        preconditionFailure("the subclass overrides this")
    }

    /// A registration that decorates this one's instances; `nil` if the decorator is for another service.
    func decorated(by decorator: Decorator) -> Registration? {
        preconditionFailure("the subclass overrides this")
    }

    /// The key of this registration where another module's is chosen.
    var alternativeKey: ServiceKey { preconditionFailure("the subclass overrides this") }

    /// A registration under another name, or in another container, that answers with the instances of what
    /// this one's module has registered for the service without a name, or with this one's own name.
    ///
    /// - Parameter home: The container that has the module's registrations; `nil` for that of the stand-in.
    func standIn(
        named name: String?, in home: Container?, sharing shares: CallShares?
    ) -> Registration {
        preconditionFailure("the subclass overrides this")
    }

    /// The instance that a container gives for this registration's request; `nil` if the factory takes
    /// runtime arguments, which only a caller has.
    package func instance(from container: Container) throws(ResolutionError) -> Any? {
        preconditionFailure("the subclass overrides this")
    }

    /// The object that the scope keeps; `nil` if there is none, or if the instance is not an object.
    var keptObject: AnyObject? { preconditionFailure("the subclass overrides this") }

    /// Whether the scope keeps one instance for good, and it exists.
    package var isCreated: Bool { base.created.load(ordering: .acquiring) != nil }

    var keepsInstances: Bool { scope.keepsInstances && !isForwarded }

    /// A copy that keeps its place when modules register the same key later.
    func asOverriding(by overriding: Overriding) -> Registration {
        copied(key: key) { $0.overriding = overriding }
    }

    /// The registration that answers: itself, or the one in whose name it is found.
    var base: Registration { traits.base ?? self }

    /// The entry under which only `resolveAll` finds this registration. The instances are this one's, so
    /// that they are the same when it is chosen again.
    ///
    /// - Parameter isYielding: Whether it takes its place again when the host no longer overrides the key.
    func asAlternative(isYielding: Bool = false) -> Registration {
        base.copied(key: alternativeKey) {
            $0.isAlternative = true
            $0.isYielding = isYielding
            $0.original = base
        }
    }

    /// The same entry for what its registration has become.
    func standing(for base: Registration) -> Registration {
        guard let original = traits.base, original !== base else { return self }
        return base.asAlternative(isYielding: traits.isYielding)
    }

    /// A copy for a container in which its module may be chosen, although it is not in this one's. It has
    /// created nothing, and has no decorators.
    func adopted() -> Registration {
        base.undecorated.renewed().copied(key: label.key) {
            $0.isStandIn = true
            $0.overriding = nil
        }
    }

    private func copied(
        key: ServiceKey, changing change: (inout RegistrationTraits) -> Void
    ) -> Registration {
        var traits = traits
        change(&traits)
        return copied(key: key, traits: traits)
    }
}

extension Scope {
    var keepsInstances: Bool { self != .transient && self != .graph }
}

/// The values of a registration whose size is known only at run time.
///
/// They stand in an object of their own, so that the hot path finds all properties of a registration and its
/// subclass at fixed places. Copies of a registration share the object: so it is also the identity of what
/// was registered, and it keeps nothing of the module alive.
final class RegistrationLabel: Sendable {
    /// The key of the registration where its module is chosen.
    let key: ServiceKey
    let request: ServiceRequest
    let scope: Scope
    let place: SourcePlace

    init(
        key: ServiceKey, request: consuming ServiceRequest, scope: consuming Scope,
        place: consuming SourcePlace
    ) {
        self.key = key
        self.request = request
        self.scope = scope
        self.place = place
    }
}

package struct RegistrationError: Error, Sendable, CustomStringConvertible {
    package let problems: [RegistrationProblem]

    /// A line for each problem, with module and place of both registrations.
    package var description: String {
        problems.map { "\($0.registration) is registered already: \($0.earlier)" }
            .joined(separator: "\n")
    }
}

/// A registration whose service, name and argument types are taken.
package struct RegistrationProblem: Sendable {
    package let registration: Registration
    package let earlier: Registration
}

/// The traits that a few registrations have besides a factory.
///
/// Most registrations have none of it, and then creating or copying the traits allocates nothing.
@dynamicMemberLookup
struct RegistrationTraits: Sendable {
    /// `nil` if every value is the default.
    private var content: Content?

    init(needs: [ServiceNeed] = [], awaitedFactory: (any AwaitedFactory)? = nil) {
        if needs.isEmpty, awaitedFactory == nil { return }
        content = Content(Values(needs: needs, awaitedFactory: awaitedFactory))
    }

    struct Values: Sendable {
        var needs: [ServiceNeed] = []
        var arguments: [ObjectIdentifier] = []
        /// The service that answers instead of a factory.
        var target: ServiceNeed?
        /// Whether something runs after the factory to complete the instance.
        var completes = false
        /// Whether another module is chosen for the service, so that only `resolveAll` finds this one.
        var isAlternative = false
        /// Whether it stands for another registration, so that `resolveAll` does not give it, too.
        var isStandIn = false
        /// The act of overriding that keeps its place when modules register the same key later.
        var overriding: Overriding?
        /// The registration that answers where this is only an entry under which `resolveAll` finds it.
        var original: Registration?
        /// Whether that takes its place again when the host no longer overrides the key.
        var isYielding = false
        var decoration: Decoration?
        /// The factory that creates the service where `resolve` cannot.
        var awaitedFactory: (any AwaitedFactory)?
        /// The modules that share the calls, if this registration draws one of them each time.
        var callShares: CallShares?
    }

    struct Decoration: Sendable {
        let inner: Registration
        let decorator: Decorator
    }

    private final class Content: Sendable {
        let values: Values

        init(_ values: Values) {
            self.values = values
        }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<Values, Value>) -> Value {
        @inline(__always) get { (content?.values ?? Values())[keyPath: path] }
        @inline(__always) set {
            var values = content?.values ?? Values()
            values[keyPath: path] = newValue
            content = Content(values)
        }
    }

    // The runtime would make an object for each key path, and these are asked of each registration.

    var isDecorated: Bool { content?.values.decoration != nil }

    /// The registration that answers, if this is an entry for `resolveAll` alone.
    var base: Registration? { content?.values.original }

    var isForwarded: Bool { content?.values.target != nil }

    var shares: CallShares? { content?.values.callShares }

    var isCompleted: Bool { content?.values.completes ?? false }

    var isAwaited: Bool { content?.values.awaitedFactory != nil }
}
