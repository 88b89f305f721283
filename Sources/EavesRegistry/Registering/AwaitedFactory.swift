// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// A factory that `resolve` cannot call: it is `async`, or runs on the main actor.
///
/// It is a trait of a ``Factory`` like any other, so that keys, tables, dumps and unregistering need
/// not tell it apart. The closure that `resolve` calls there throws an error that says how to ask.
protocol AwaitedFactory: AnyObject, Sendable {
    var scope: Scope { get }

    /// Whether the scope keeps an instance, and it exists.
    var isCreated: Bool { get }

    /// The error of `resolve`.
    var refusal: ResolutionError.Reason { get }

    /// The same factory, which has created nothing.
    func renewed() -> any AwaitedFactory
}

extension AwaitedFactory {
    /// Whether the scope keeps the instance beyond a resolution.
    fileprivate static func isKept(in scope: Scope) -> Bool {
        scope != .transient && scope != .graph
    }
}

/// A factory that is `async`.
final class AsyncFactory<Service: Sendable, each Argument: Sendable>: AwaitedFactory {
    typealias Create = @Sendable (any Resolver, repeat each Argument) async throws -> Service

    let scope: Scope
    let create: Create
    /// The instance that the scope keeps; `nil` in scopes that keep none beyond a resolution.
    let instance: AsyncInstance<Service>?

    init(scope: Scope, _ create: @escaping Create) {
        self.scope = scope
        self.create = create
        instance = Self.isKept(in: scope) ? AsyncInstance(isWeak: scope == .weak) : nil
    }

    var isCreated: Bool { instance?.known != nil }
    var refusal: ResolutionError.Reason { .needsAwait }

    func renewed() -> any AwaitedFactory { AsyncFactory(scope: scope, create) }
}

/// A factory that runs on the main actor.
///
/// The main actor does one thing at a time, and the factory does not suspend. So nothing on the main
/// actor finds the instance half created, or waits for it: an ``InstanceStore`` is enough, where an
/// ``AsyncFactory`` needs an ``AsyncInstance``. That is why these are two classes.
final class MainActorFactory<Service: Sendable, each Argument: Sendable>: AwaitedFactory {
    typealias Create = @MainActor @Sendable (any Resolver, repeat each Argument) throws -> Service

    let scope: Scope
    let create: Create
    /// The instance that the scope keeps; `nil` in scopes that keep none beyond a resolution.
    let store: InstanceStore<Service>?

    init(scope: Scope, _ create: @escaping Create) {
        self.scope = scope
        self.create = create
        store = Self.isKept(in: scope) ? InstanceStore(isWeak: scope == .weak) : nil
    }

    var isCreated: Bool { store?.instance != nil }
    var refusal: ResolutionError.Reason { .needsMainActor }

    func renewed() -> any AwaitedFactory { MainActorFactory(scope: scope, create) }
}

extension Factory {
    /// Registers an `async` factory.
    convenience init<each Argument: Sendable>(
        name: String?, scope: Scope, module: String?, place: SourcePlace,
        async create: @escaping AsyncFactory<Service, repeat each Argument>.Create
    ) {
        self.init(
            name: name, module: module, place: place,
            awaiting: AsyncFactory<Service, repeat each Argument>(scope: scope, create),
            arguments: repeat (each Argument).self)
    }

    /// Registers a factory that runs on the main actor.
    convenience init<each Argument: Sendable>(
        name: String?, scope: Scope, module: String?, place: SourcePlace,
        onMainActor create: @escaping MainActorFactory<Service, repeat each Argument>.Create
    ) {
        self.init(
            name: name, module: module, place: place,
            awaiting: MainActorFactory<Service, repeat each Argument>(scope: scope, create),
            arguments: repeat (each Argument).self)
    }

    private convenience init<each Argument>(
        name: String?, module: String?, place: SourcePlace, awaiting factory: any AwaitedFactory,
        arguments: repeat (each Argument).Type
    ) {
        let wanted = ServiceRequest(
            Service.self, name: name, arguments: ServiceKey.types(repeat each arguments))
        let candidate = "\(wanted) (\(module ?? "host"), \(place))"
        let reason = factory.refusal
        self.init(
            name: name, scope: factory.scope, module: module, place: place,
            traits: RegistrationTraits(awaitedFactory: factory),
            calling: ArgumentFactory {
                (_: any Resolver, _: repeat each Argument) throws -> Service in
                // The chain still ends with the service itself.
                let chain = ThreadContext.current.chain.dropLast()
                throw ResolutionError(
                    reason, wanted: wanted, chain: Array(chain), candidates: [candidate])
            })
    }
}
