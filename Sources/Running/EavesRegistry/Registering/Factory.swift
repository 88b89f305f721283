// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

// SAFETY: as for `Registration`; the added properties are constant, or guard themselves.
/// A registration that knows its service's type: it has the factory, and the instance that its scope keeps.
///
/// Every registration of a service is of this one class, so that what was found under a key can be
/// cast without a check.
final class Factory<Service: Sendable>: Registration, @unchecked Sendable {
    typealias Create = @Sendable (any Resolver) throws -> Service
    typealias Complete = @Sendable (any Resolver, Service) throws -> Void

    /// A function that creates an instance. Not to be called if there is an ``argumentFactory``.
    let create: Create
    /// A factory that takes runtime arguments; `nil` if there are none.
    let argumentFactory: (any AnyArgumentFactory<Service>)?
    /// The turn of one thread at a time to create the instance that the scope keeps; `nil` in scopes that keep
    /// none, and if an awaited factory keeps it.
    let turn: CreationTurn?
    let completed: Complete?
    /// The instance of the weak scope; `nil` in other scopes.
    private let weak: InstanceStore<Service>?

    init(
        name: String?, scope: consuming Scope, module: String?, place: consuming SourcePlace,
        traits: consuming RegistrationTraits = RegistrationTraits(), completed: Complete? = nil,
        create: @escaping Create
    ) {
        self.create = create
        argumentFactory = nil
        self.completed = completed
        (turn, weak) = Self.keepers(scope, traits)
        if completed != nil { traits.completes = true }
        super.init(
            key: .withoutArguments(Service.self, name: name), service: Service.self,
            request: ServiceRequest(Service.self, name: name),
            scope: scope, module: module, place: place, traits: traits)
    }

    init<each Argument>(
        name: String?, scope: Scope, module: String?, place: SourcePlace,
        traits: RegistrationTraits = RegistrationTraits(), completed: Complete? = nil,
        calling factory: ArgumentFactory<Service, repeat each Argument>
    ) {
        let arguments = ServiceKey.types(repeat (each Argument).self)
        var traits = traits
        if arguments.isEmpty {
            // SAFETY: without arguments, this is the type's only other name.
            let factory = unsafeDowncast(factory, to: ArgumentFactory<Service>.self)
            create = { try factory.create($0) }
            argumentFactory = nil
        } else {
            create = { _ in preconditionFailure("a factory with arguments is called without any") }
            argumentFactory = factory
            traits.arguments = arguments.map { ObjectIdentifier($0) }
        }
        self.completed = completed
        (turn, weak) = Self.keepers(scope, traits)
        if completed != nil { traits.completes = true }
        super.init(
            key: ServiceKey(Service.self, name: name, arguments: repeat (each Argument).self),
            service: Service.self,
            request: ServiceRequest(Service.self, name: name, arguments: arguments),
            scope: scope, module: module, place: place, traits: traits)
    }

    private init(
        copying other: Factory, key: ServiceKey, traits: RegistrationTraits,
        argumentFactory: (any AnyArgumentFactory<Service>)?, create: @escaping Create
    ) {
        self.create = create
        self.argumentFactory = argumentFactory
        // An entry for another registration creates nothing.
        let isEntry = traits.base != nil
        turn = isEntry || other.turn == nil ? nil : CreationTurn()
        weak = isEntry || other.weak == nil ? nil : InstanceStore(isWeak: true)
        completed = traits.isCompleted ? other.completed : nil
        super.init(copying: other, key: key, traits: traits)
    }

    /// Guards and keeps the instance, as far as the scope keeps one.
    private static func keepers(
        _ scope: Scope, _ traits: RegistrationTraits
    ) -> (CreationTurn?, InstanceStore<Service>?) {
        if traits.isAwaited || !scope.keepsInstances { return (nil, nil) }
        return (CreationTurn(), scope == .weak ? InstanceStore(isWeak: true) : nil)
    }

    override func copied(key: ServiceKey, traits: RegistrationTraits) -> Registration {
        Factory(
            copying: self, key: key, traits: traits, argumentFactory: argumentFactory,
            create: create)
    }

    override func decorated(by decorator: Decorator) -> Registration? {
        guard let decorator = decorator as? ServiceDecorator<Service> else { return nil }
        var traits = traits
        // The inner instance is completed before it is decorated.
        traits.completes = false
        traits.decoration = RegistrationTraits.Decoration(inner: self, decorator: decorator)
        return Factory(
            copying: self, key: key, traits: traits,
            argumentFactory: argumentFactory?.decorated(by: decorator, around: self)
        ) { resolver in
            try decorator.decorate(resolver, try self.innerInstance { try self.create($0) })
        }
    }

    override var alternativeKey: ServiceKey {
        argumentFactory?.alternativeKey(module: module, name: request.name)
            ?? .alternative(Service.self, module: module, name: request.name)
    }

    override func standIn(
        named name: String?, in home: Container?, sharing shares: CallShares?
    ) -> Registration {
        let standIn = StandIn(for: self, name: name, home: home, shares: shares)
        let registration =
            traits.awaitedFactory?.standIn(standIn) ?? argumentFactory?.standIn(standIn)
            ?? standIn.forwarding(Service.self)
        registration.door = door
        return registration
    }

    override func instance(from container: Container) throws(ResolutionError) -> Any? {
        guard request.arguments.isEmpty else { return nil }
        return try container.resolve(Service.self, name: request.name)
    }

    /// The instance that the scope keeps, if it exists and is visible to all.
    var instance: Service? {
        if let weak { return weak.instance }
        // SAFETY: only `publish` stores to `created`, a pointer to an initialised `Service`.
        return created.load(ordering: .acquiring)?.assumingMemoryBound(to: Service.self).pointee
    }

    /// Keeps an instance and makes it visible to all. Called by the thread that has the turn: once, or
    /// again in the weak scope.
    func publish(_ instance: Service) {
        if let weak { return weak.keep(instance) }
        let memory = UnsafeMutablePointer<Service>.allocate(capacity: 1)
        memory.initialize(to: instance)
        created.store(UnsafeRawPointer(memory), ordering: .releasing)
    }

    override var keptObject: AnyObject? {
        traits.awaitedFactory?.keptObject ?? instance.flatMap { object(in: $0) }
    }

    deinit {
        guard let created = created.load(ordering: .acquiring) else { return }
        // SAFETY: `publish` allocated and initialised it. Threads read it in a read section, and a
        // registration is released when no section is left that could know it.
        let memory = UnsafeMutablePointer(mutating: created.assumingMemoryBound(to: Service.self))
        memory.deinitialize(count: 1)
        memory.deallocate()
    }
}

/// An ``ArgumentFactory`` of a service, whatever runtime arguments it takes.
protocol AnyArgumentFactory<Service>: AnyObject, Sendable {
    associatedtype Service: Sendable

    func decorated(
        by decorator: ServiceDecorator<Service>, around inner: Factory<Service>
    ) -> any AnyArgumentFactory<Service>

    /// The key of such a factory where another module's is chosen.
    func alternativeKey(module: String?, name: String?) -> ServiceKey

    func standIn(_ standIn: StandIn) -> Registration
}

/// A closure that creates a service with runtime arguments.
///
/// It is a part of a ``Factory``. Its type, which names service and arguments, is a part of the factory's key. Closures
/// without arguments stand in the ``Factory`` itself: one over an empty parameter pack would be called through a thunk.
final class ArgumentFactory<Service: Sendable, each Argument>: AnyArgumentFactory {
    typealias Create = @Sendable (any Resolver, repeat each Argument) throws -> Service

    let create: Create

    init(_ create: @escaping Create) {
        self.create = create
    }

    func decorated(
        by decorator: ServiceDecorator<Service>, around inner: Factory<Service>
    ) -> any AnyArgumentFactory<Service> {
        ArgumentFactory {
            (resolver: any Resolver, arguments: repeat each Argument) -> Service in
            let instance = try inner.innerInstance { try self.create($0, repeat each arguments) }
            return try decorator.decorate(resolver, instance)
        }
    }

    func alternativeKey(module: String?, name: String?) -> ServiceKey {
        .alternative(ArgumentFactory.self, module: module, name: name)
    }

    func standIn(_ standIn: StandIn) -> Registration {
        standIn.forwarding(Service.self, arguments: repeat (each Argument).self)
    }
}

/// A service as an object, for code that keeps services of all types.
final class BoxedService<Service: Sendable>: Sendable {
    let service: Service

    init(_ service: Service) {
        self.service = service
    }
}

/// Keeps an instance once it was created; in the weak scope, as long as other code keeps it.
final class InstanceStore<Service: Sendable>: Sendable {
    private struct Kept {
        var instance: Service?
        weak var object: AnyObject?
    }

    private let isWeak: Bool
    private let kept = Guarded(Kept())

    init(isWeak: Bool) {
        self.isWeak = isWeak
    }

    var instance: Service? {
        kept.withLock { kept in
            guard isWeak else { return kept.instance }
            // Without an object, the cast to an optional service would succeed, and give its `nil`.
            guard let object = kept.object else { return nil }
            return object as? Service
        }
    }

    /// Keeps a new instance. There must be no other. In the weak scope, a value that is not an object is not kept, since
    /// nothing else can keep it.
    func keep(_ service: Service) {
        kept.withLock { kept in
            if isWeak { kept.object = object(in: service) } else { kept.instance = service }
        }
    }
}

/// The object that a value is, also as an optional.
func object(in value: Any) -> AnyObject? {
    if let optional = value as? any AnyOptional { return optional.value.flatMap(object) }
    return type(of: value) is AnyClass ? value as AnyObject : nil
}

private protocol AnyOptional {
    var value: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var value: Any? { map { $0 as Any } }
}

/// A factory that `resolve` cannot call: it is `async`, or runs on the main actor.
///
/// It is a trait of a ``Factory`` like any other, so that keys, tables, dumps and unregistering need
/// not tell it apart. The closure that `resolve` calls there throws an error that says how to ask.
protocol AwaitedFactory: AnyObject, Sendable {
    associatedtype Service: Sendable

    var scope: Scope { get }

    /// The store of the instance; `nil` in scopes that keep none beyond a resolution.
    var store: InstanceStore<Service>? { get }

    var refusal: ResolutionError.Reason { get }

    func renewed() -> any AwaitedFactory

    func standIn(_ standIn: StandIn) -> Registration
}

extension AwaitedFactory {
    /// Whether the scope keeps an instance, and it exists.
    var isCreated: Bool { store?.instance != nil }

    /// The object that the scope keeps; `nil` if there is none, or if the instance is not an object.
    var keptObject: AnyObject? { store?.instance.flatMap { object(in: $0) } }

    /// The instance, if it exists, for code that knows the type of the service.
    func known<Known: Sendable>(as service: Known.Type) -> Known? {
        (store as? InstanceStore<Known>)?.instance
    }
}

extension Scope {
    /// A store for the instance of a factory; `nil` if the scope keeps none beyond a resolution.
    fileprivate func store<Service>(for service: Service.Type) -> InstanceStore<Service>? {
        keepsInstances ? InstanceStore(isWeak: self == .weak) : nil
    }
}

final class AsyncFactory<Service: Sendable, each Argument: Sendable>: AwaitedFactory {
    typealias Create = @Sendable (any Resolver, repeat each Argument) async throws -> Service
    typealias Complete = @Sendable (any Resolver, Service) async throws -> Void

    let scope: Scope
    let create: Create
    let completed: Complete?
    let store: InstanceStore<Service>?
    /// The creation of the instance that the scope keeps.
    let instance: AsyncInstance<Service>?

    init(scope: Scope, completed: Complete?, _ create: @escaping Create) {
        self.scope = scope
        self.create = create
        self.completed = completed
        store = scope.store(for: Service.self)
        instance = store.map { AsyncInstance(in: $0) }
    }

    var refusal: ResolutionError.Reason { .needsAwait }

    func renewed() -> any AwaitedFactory {
        AsyncFactory(scope: scope, completed: completed, create)
    }

    func standIn(_ standIn: StandIn) -> Registration {
        standIn.awaiting(Service.self, arguments: repeat (each Argument).self)
    }
}

/// A factory that runs on the main actor.
///
/// The main actor does one thing at a time, and the factory does not suspend. So nothing on the main
/// actor finds the instance half created, or waits for it: an ``InstanceStore`` is enough, where an
/// ``AsyncFactory`` needs an ``AsyncInstance``. That is why these are two classes.
final class MainActorFactory<Service: Sendable, each Argument: Sendable>: AwaitedFactory {
    typealias Create = @MainActor @Sendable (any Resolver, repeat each Argument) throws -> Service
    typealias Complete = @MainActor @Sendable (any Resolver, Service) throws -> Void

    let scope: Scope
    let create: Create
    let completed: Complete?
    let store: InstanceStore<Service>?

    init(scope: Scope, completed: Complete?, _ create: @escaping Create) {
        self.scope = scope
        self.create = create
        self.completed = completed
        store = scope.store(for: Service.self)
    }

    var refusal: ResolutionError.Reason { .needsMainActor }

    func renewed() -> any AwaitedFactory {
        MainActorFactory(scope: scope, completed: completed, create)
    }

    func standIn(_ standIn: StandIn) -> Registration {
        standIn.onMainActor(Service.self, arguments: repeat (each Argument).self)
    }
}

extension Factory {
    /// Registers a factory that `resolve` cannot call.
    convenience init<each Argument>(
        _ options: RegistrationOptions, module: String?, awaiting factory: any AwaitedFactory,
        arguments: repeat (each Argument).Type
    ) {
        let (name, place) = (options.name, options.place)
        let wanted = ServiceRequest(
            Service.self, name: name, arguments: ServiceKey.types(repeat each arguments))
        let candidate = "\(wanted) (\(module ?? "host"), \(place))"
        let reason = factory.refusal
        self.init(
            name: name, scope: factory.scope, module: module, place: place,
            traits: RegistrationTraits(needs: options.needs, awaitedFactory: factory),
            calling: ArgumentFactory {
                (_: any Resolver, _: repeat each Argument) throws -> Service in
                // The chain still ends with the service itself.
                let chain = ThreadContext.current.chain.dropLast()
                throw ResolutionError(
                    reason, wanted: wanted, chain: Array(chain), candidates: [candidate])
            })
    }
}
