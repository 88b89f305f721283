// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

/// The instances of registrations that a container gives to nobody any more: which of them live, who asked for
/// them, and whether anything that began before is under way.
///
/// It keeps nothing of a module alive. Safe from any thread.
package final class RetiredInstances: Sendable {
    private struct Item {
        let trace: InstanceTrace
        /// The decorator that has the instances inside its own.
        let decorator: InstanceAsker?
    }

    private struct State {
        var requests: [ServiceRequest] = []
        var items: [Item] = []
        /// How many tables may still be read that have what was taken back, in how many generations calls are under
        /// way, and one more while it is being taken back.
        var parts = 1
        var observers: [@Sendable () -> Void] = []
    }

    private let state = Guarded(State())

    init() {}

    /// The services that were taken back, in the order of registration.
    package var requests: [ServiceRequest] { state.withLock { $0.requests } }

    /// The instances that live, in the order of their registrations.
    ///
    /// These are the objects that scopes kept: shared, named and weak ones. Values that are no objects are not
    /// counted, and neither are transient objects, nor those of the graph scope. The container itself keeps
    /// its instances until ``isDrained``.
    package var living: [RetiredInstance] {
        let items = state.withLock { $0.items }
        return items.flatMap { item -> [RetiredInstance] in
            let count = item.trace.living
            guard count > 0 else { return [] }
            let askers = item.trace.askers + (item.decorator.map { [$0] } ?? [])
            let instance = RetiredInstance(item.trace.label, askers: askers)
            return Array(repeating: instance, count: count)
        }
    }

    /// Whether no resolution, loan or factory can be under way any more that began before, awaited ones included, and, in
    /// a module with a life cycle, no call: none of them gives these instances to anybody, or creates another one.
    ///
    /// Code that keeps a service is not seen, in a task or on a thread: a feature may still run, and so may calls of the
    /// services that it has.
    package var isDrained: Bool { state.withLock { $0.parts == 0 } }

    /// Calls a function once ``isDrained``: at once, or on the thread that leaves last. It must not block that
    /// thread.
    package func onDrained(_ observer: @escaping @Sendable () -> Void) {
        let isDrained = state.withLock { state in
            if state.parts > 0 { state.observers.append(observer) }
            return state.parts == 0
        }
        if isDrained { observer() }
    }

    /// Notes what was taken back: readers cannot find it any more. No lock is held, since this may release an
    /// instance that no other code keeps.
    func add(_ outcome: ContainerRecords.Outcome) {
        let removed = outcome.removed
        let kept = Set(outcome.kept.flatMap(\.base.decorationChain).map { ObjectIdentifier($0) })
        var items: [Item] = []
        for registration in removed {
            let chain = registration.base.decorationChain
            for (index, part) in chain.enumerated() where !kept.contains(ObjectIdentifier(part)) {
                guard part.keepsInstances else { continue }
                let outer = index + 1 < chain.count ? chain[index + 1] : nil
                let decorator = outer?.traits.decoration?.decorator
                items.append(
                    Item(
                        trace: part.retire(),
                        decorator: decorator.map { .decorator(module: $0.module, place: $0.place) })
                )
            }
        }
        state.withLock { state in
            state.requests += removed.lazy
                .filter { !kept.contains(ObjectIdentifier($0.base)) }.map(\.request)
            state.items += items
        }
    }

    /// Counts the calls that are under way in generations that a container has taken back whole. The container calls this
    /// before it gives these instances to its caller, who may ask whether they have drained.
    func awaitCalls(through gates: [CallGate]) {
        for gate in gates {
            begin()
            gate.end { [self] in end() }
        }
    }

    /// Notes that a table has been replaced that has what was taken back.
    func begin() {
        state.withLock { $0.parts += 1 }
    }

    /// Notes that nobody reads such a table any more, or that everything has been taken back.
    func end() {
        let observers = state.withLock { state in
            state.parts -= 1
            guard state.parts == 0 else { return [] as [@Sendable () -> Void] }
            defer { state.observers = [] }
            return state.observers
        }
        for observer in observers { observer() }
    }
}

/// An instance of a registration that was taken back.
package struct RetiredInstance: Sendable {
    package let request: ServiceRequest
    package let scope: Scope
    /// The id of the module that registered it; `nil` for the host itself.
    package let module: String?
    /// The place of the registration.
    package let place: SourcePlace
    /// Those that have asked for it: any of them may have it. Factories first, then code outside.
    package let askers: [InstanceAsker]

    init(_ label: RegistrationLabel, askers: [InstanceAsker]) {
        request = label.request
        scope = label.scope
        module = label.module
        place = label.place
        self.askers = askers
    }
}

/// Code that has asked for an instance.
package enum InstanceAsker: Sendable {
    /// The factory of a service, or what it gave to its object: a `Lazy`, a `Provider`, a resolver.
    case factory(ServiceRequest, module: String?, place: SourcePlace)
    /// A decorator of the service.
    case decorator(module: String?, place: SourcePlace)
    /// Code outside of factories: a feature that runs, the program, a `Handle`.
    case outside
}

extension InstanceAsker: CustomStringConvertible {
    /// The asker in words, such as `LoginFactory (login, Login/LoginModule.swift:8)`.
    package var description: String {
        switch self {
        case .factory(let request, let module, let place):
            "\(request) (\(module ?? "host"), \(place))"
        case .decorator(let module, let place): "a decorator (\(module ?? "host"), \(place))"
        case .outside: "outside of a factory"
        }
    }
}

extension RetiredInstance: CustomStringConvertible {
    /// The instance and those that asked for it, such as
    /// `UserService, shared (users-memory, Users/Module.swift:8): asked by outside of a factory`.
    package var description: String {
        let asked = askers.map(\.description).joined(separator: "; ")
        return "\(request), \(scope.name) (\(module ?? "host"), \(place))"
            + (asked.isEmpty ? "" : ": \(asked)")
    }
}
