// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

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
