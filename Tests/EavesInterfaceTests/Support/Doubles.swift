// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

/// A resolver that implements only the requirements of interface 1.0.
final class MinimalResolver: Resolver {
    private let answer: @Sendable (ServiceRequest) throws(ResolutionError) -> any Sendable
    private let kept = Mutex<[ServiceRequest]>([])
    /// The requests so far.
    var requests: [ServiceRequest] { kept.withLock { $0 } }

    init(_ answer: @escaping @Sendable (ServiceRequest) throws(ResolutionError) -> any Sendable) {
        self.answer = answer
    }

    func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        try answer(service, ServiceRequest(service, name: name))
    }

    func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        var types: [Any.Type] = []
        for type in repeat (each Argument).self { types.append(type) }
        return try answer(service, ServiceRequest(service, name: name, arguments: types))
    }

    private func answer<Service>(
        _ service: Service.Type, _ request: ServiceRequest
    ) throws(ResolutionError) -> Service {
        kept.withLock { $0.append(request) }
        guard let instance = try answer(request) as? Service else {
            throw ResolutionError(.notRegistered, wanted: request)
        }
        return instance
    }
}

/// A resolver that passes requests on, counts changes, and lends the number that it is given.
final class CountingResolver: Resolver {
    let changes: ChangeCounter? = ChangeCounter()
    let resolver: MinimalResolver
    private let loan: @Sendable () -> Loan

    init(_ resolver: MinimalResolver, loan: @escaping @Sendable () -> Loan = { Loan() }) {
        self.resolver = resolver
        self.loan = loan
    }

    func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        try resolver.resolve(service, name: name)
    }

    func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try resolver.resolve(service, name: name, arguments: repeat each arguments)
    }

    func lend(_ service: Any.Type, name: String?) -> Loan { loan() }

    var weaklyHeld: any Resolver { resolver }
}

/// A registrar that implements only the requirements of interface 1.0.
final class MinimalRegistrar: Registrar {
    struct Registered {
        let request: ServiceRequest
        let scope: Scope
        let place: SourcePlace
        let create: (any Resolver, [Any]) throws -> Any
    }

    let settings: Settings
    private(set) var registered: [Registered] = []

    init(settings: Settings = Settings()) {
        self.settings = settings
    }

    func register<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service
    ) {
        var types: [Any.Type] = []
        for type in repeat (each Argument).self { types.append(type) }
        let request = ServiceRequest(service, name: name, arguments: types)
        let create = { (resolver: any Resolver, arguments: [Any]) throws -> Any in
            var rest = arguments[...]
            func next<T>(_ type: T.Type) -> T { rest.removeFirst() as! T }
            return try factory(resolver, repeat next((each Argument).self))
        }
        registered.append(
            Registered(request: request, scope: scope, place: place, create: create))
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
