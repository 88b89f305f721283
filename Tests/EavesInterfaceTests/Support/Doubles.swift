// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) import EavesInterface
import Synchronization

/// A resolver that gives the same answer whichever requirement asks.
protocol AnsweringResolver: Resolver {
    func answer<Service>(_ request: ServiceRequest) throws(ResolutionError) -> Service
}

extension AnsweringResolver {
    func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        try answer(ServiceRequest(service, name: name))
    }

    func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        var types: [Any.Type] = []
        for type in repeat (each Argument).self { types.append(type) }
        return try answer(ServiceRequest(service, name: name, arguments: types))
    }

    func resolveIfProvided<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service? {
        try answer(ServiceRequest(service, name: name))
    }

    func isProvided(_ service: Any.Type, name: String?) -> Bool { true }

    func resolveAll<Service: Sendable, each Argument>(
        _ service: Service.Type, arguments: repeat each Argument
    ) throws(ResolutionError) -> [Service] {
        [try resolve(service, name: nil, arguments: repeat each arguments)]
    }

    func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        try resolve(service, name: name, arguments: repeat each arguments)
    }

    func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try resolve(service, name: name, arguments: repeat each arguments)
    }
}

/// A resolver that implements only the requirements without a default.
final class MinimalResolver: AnsweringResolver {
    private let answer: @Sendable (ServiceRequest) throws(ResolutionError) -> any Sendable
    private let kept = Mutex<[ServiceRequest]>([])
    /// The requests so far.
    var requests: [ServiceRequest] { kept.withLock { $0 } }

    init(_ answer: @escaping @Sendable (ServiceRequest) throws(ResolutionError) -> any Sendable) {
        self.answer = answer
    }

    func answer<Service>(_ request: ServiceRequest) throws(ResolutionError) -> Service {
        kept.withLock { $0.append(request) }
        guard let instance = try answer(request) as? Service else {
            throw ResolutionError(.notRegistered, wanted: request)
        }
        return instance
    }
}

/// A resolver that passes requests on, counts changes, and lends the number that it is given.
final class CountingResolver: AnsweringResolver {
    let changes: ChangeCounter? = ChangeCounter()
    let resolver: MinimalResolver
    private let loan: @Sendable () -> Loan

    init(_ resolver: MinimalResolver, loan: @escaping @Sendable () -> Loan = { Loan() }) {
        self.resolver = resolver
        self.loan = loan
    }

    func answer<Service>(_ request: ServiceRequest) throws(ResolutionError) -> Service {
        try resolver.answer(request)
    }

    func lend(_ service: Any.Type, name: String?) -> Loan { loan() }

    var weaklyHeld: any Resolver { resolver }
}

/// A registrar that keeps what is registered.
final class KeepingRegistrar: Registrar {
    struct Kept {
        /// The requirement that was called.
        let kind: String
        let request: ServiceRequest
        let options: RegistrationOptions
        /// Whether there is a closure that completes the instance.
        var isCompleted = false
        /// Calls the factory; fails for those that are awaited or need the main actor.
        var create: (any Resolver, [Any]) throws -> Any = { _, _ in throw Broken() }
    }

    let settings: Settings
    private(set) var kept: [Kept] = []

    init(settings: Settings = Settings()) {
        self.settings = settings
    }

    func register<Service: Sendable>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory: @escaping @Sendable (any Resolver) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)?
    ) {
        kept.append(
            Kept(
                kind: "register", request: ServiceRequest(service, name: options.name),
                options: options, isCompleted: completed != nil,
                create: { resolver, _ in try factory(resolver) }))
    }

    func register<Service: Sendable, each Argument>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)?
    ) {
        let create = { (resolver: any Resolver, arguments: [Any]) throws -> Any in
            var rest = arguments[...]
            func next<T>(_ type: T.Type) -> T { rest.removeFirst() as! T }
            return try factory(resolver, repeat next((each Argument).self))
        }
        kept.append(
            Kept(
                kind: "register with arguments",
                request: request(service, options, repeat (each Argument).self),
                options: options, isCompleted: completed != nil, create: create))
    }

    func registerAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service,
        completed: (@Sendable (any Resolver, Service) async throws -> Void)?
    ) {
        kept.append(
            Kept(
                kind: "registerAsync",
                request: request(service, options, repeat (each Argument).self),
                options: options, isCompleted: completed != nil))
    }

    func registerOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws
            -> Service,
        completed: (@MainActor @Sendable (any Resolver, Service) throws -> Void)?
    ) {
        kept.append(
            Kept(
                kind: "registerOnMainActor",
                request: request(service, options, repeat (each Argument).self),
                options: options, isCompleted: completed != nil))
    }

    func forward<Service: Sendable, Target: Sendable, each Argument>(
        _ service: Service.Type, name: String?, to target: Target.Type, targetName: String?,
        place: SourcePlace, arguments: repeat (each Argument).Type,
        convert: @escaping @Sendable (Target) throws -> Service
    ) {
        let options = RegistrationOptions(name: name, place: place)
        let goal = request(
            target, RegistrationOptions(name: targetName, place: place), repeat each arguments)
        kept.append(
            Kept(
                kind: "forward to \(goal)",
                request: request(service, options, repeat each arguments),
                options: options))
    }

    func decorate<Service: Sendable>(
        _ service: Service.Type, name: String?, place: SourcePlace,
        decorator: @escaping @Sendable (any Resolver, Service) throws -> Service
    ) {
        kept.append(
            Kept(
                kind: "decorate", request: ServiceRequest(service, name: name),
                options: RegistrationOptions(name: name, place: place)))
    }

    func lifecycle(_ lifecycle: any Lifecycle) {}

    private func request<each Argument>(
        _ service: Any.Type, _ options: RegistrationOptions,
        _ arguments: repeat (each Argument).Type
    ) -> ServiceRequest {
        var types: [Any.Type] = []
        for type in repeat each arguments { types.append(type) }
        return ServiceRequest(service, name: options.name, arguments: types)
    }
}

/// A console that answers one line and keeps what is written.
final class OneLineConsole: Console {
    let isInteractive = true
    private let kept = Mutex("")
    var output: String { kept.withLock { $0 } }

    func readLine() -> String? { "Grace" }
    func write(_ text: String) { kept.withLock { $0 += text } }
    func warn(_ text: String) {}
}

/// Counts from 1 on.
final class Counter: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }

    func next() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }
}

struct Broken: Error, Equatable, CustomStringConvertible {
    var description: String { "it is broken" }
}
