// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesInterface
import EavesRegistry
import ReadingAPI
import Synchronization

/// The cases of the table.
enum Cases {
    static func all(probe: Probe?) throws -> [Case] {
        try small() + sizes() + inside(probe)
    }

    /// The cases whose containers are made at once.
    static func small() throws -> [Case] { try baselines() + container() }

    private static func baselines() -> [Case] {
        let baselines = Baselines()
        let resolver: any Resolver = Container()
        return [
            Case("S: stored closure") { count in
                try sum(count) { try baselines.closures.fourth(resolver).value }
            },
            Case("S4: four stored closures") { count in
                try sum(count) { try baselines.closures.first(resolver).value }
            },
            Case("P: direct protocol call") { count in
                sum(count) { baselines.object.value }
            },
            Case("R: function that returns it") { count in
                sum(count) { baselines.copy().value }
            },
            Case("D: dictionary, `as?`, `Mutex`") { count in
                sum(count) { baselines.find((any Fourth).self)?.value ?? 0 }
            },
        ]
    }

    private static func container() throws -> [Case] {
        let shared = Container()
        try shared.register((any Fourth).self, scope: .shared) { _ in FourthObject(1) }
        try shared.register((any Fourth).self, name: "turbo", scope: .shared) { _ in
            FourthObject(1)
        }
        let transient = opaque(try chain())
        let mixed = Container()
        try mixed.register((any Fourth).self, scope: .shared) { _ in FourthObject(1) }
        try mixed.register((any Third).self) { ThirdObject(try $0.resolve((any Fourth).self)) }
        return try container(opaque(shared), transient) + asking(opaque(mixed))
            + handles(opaque(shared))
            + calls(opaque(shared), transient)
    }

    /// A container with the services of a module, as a host has it.
    ///
    /// - Parameters:
    ///   - follows: Whether the host follows the disk: modules may be exchanged, and all calls are noted.
    ///   - lives: Whether the module has a life cycle, so that its calls are counted.
    private static func host(follows: Bool, lives: Bool) throws -> any Resolver {
        struct Living: Lifecycle {}
        let container = Container()
        let registrar = StagedRegistrar(module: "module", settings: Settings())
        if lives { registrar.lifecycle(Living()) }
        registrar.register((any Fourth).self, scope: .shared) { _ in FourthObject(1) }
        registrar.register((any Third).self) { _ in ThirdObject(FourthObject(1)) }
        try registrar.commit(to: container)
        if follows {
            container.expectExchanges()
            container.accounts.set([:], sharing: false, keepingUsual: true)
        }
        return opaque(container)
    }

    /// Modules with state and life cycles, each of which has the service under a name of its own.
    private static func many(_ names: [String]) throws -> any Resolver {
        struct Counting: StateHandover {
            func snapshot() -> [UInt8] { [] }
            func restore(_ snapshot: [UInt8]) {}
        }
        let container = Container()
        for name in names {
            let registrar = StagedRegistrar(module: name, settings: Settings())
            registrar.lifecycle(Counting())
            registrar.register((any Fourth).self, name: name, scope: .shared) { _ in
                FourthObject(1)
            }
            try registrar.commit(to: container)
        }
        container.expectExchanges()
        container.accounts.set([:], sharing: false, keepingUsual: true)
        return opaque(container)
    }

    /// The service of a host that does not follow, in which another module has a life cycle.
    private static func next() throws -> any Resolver {
        struct Living: Lifecycle {}
        let container = Container()
        let registrar = StagedRegistrar(module: "living", settings: Settings())
        registrar.lifecycle(Living())
        registrar.register((any Second).self) { _ in SecondObject(ThirdObject(FourthObject(1))) }
        try registrar.commit(to: container)
        try container.register((any Fourth).self, scope: .shared) { _ in FourthObject(1) }
        return opaque(container)
    }

    /// A service that a canary shares.
    private static func shared() throws -> any Resolver {
        let container = Container()
        for module in ["stable", "canary"] {
            let registrar = StagedRegistrar(module: module, settings: Settings())
            registrar.register((any Fourth).self, scope: .shared) { _ in FourthObject(1) }
            try registrar.commit(to: container, where: { _ in module == "stable" })
        }
        let canaries = [CallShares.Arm("canary", weight: 10)]
        let shares = CallShares(stable: CallShares.Arm("stable", weight: 90), canaries: canaries)
        container.accounts.set([:], sharing: true, keepingUsual: true)
        container.rebind(where: { $0.module == "stable" }, sharing: { _ in shares })
        return opaque(container)
    }

    private static func calls(
        _ elsewhere: any Resolver, _ transient: any Resolver
    ) throws -> [Case] {
        let live = try host(follows: true, lives: false)
        let living = try host(follows: true, lives: true)
        let (next, shared) = (try next(), try shared())
        let names = (0..<200).map { "module \($0)" }
        let many = try many(names)
        return [
            Case("call", target: (nil, "shared, handed over")) { count in
                try call(elsewhere, count)
            },
            Case("call, in a host that follows", target: (2.5, "call")) { count in
                try call(live, count)
            },
            Case("the same, two threads", target: (0.6, "call, in a host that follows")) { count in
                onThreads(2) { try call(live, count / 2) }
            },
            Case("the same, four threads", target: (nil, "call, in a host that follows")) { count in
                onThreads(4) { try call(live, count / 4) }
            },
            Case("call, with a life cycle", target: (3, "call")) { count in
                try call(living, count)
            },
            Case("handle, borrowed, with a life cycle", target: (4, "call")) { count in
                try borrow(living, count)
            },
            Case("call, next to a life cycle, in another host", target: (2, "call")) { count in
                try call(next, count)
            },
            Case("call, of 200 such modules in turn", target: (nil, "call, with a life cycle")) {
                count in
                var turn = 0
                return try sum(count) {
                    turn = turn + 1 < names.count ? turn + 1 : 0
                    return try many.call((any Fourth).self, name: names[turn]) { $0.value }
                }
            },
            Case("call of a transient service", target: (nil, "transient")) { count in
                try sum(count) { try transient.call((any Fourth).self) { $0.value } }
            },
            Case(
                "the same, in a host that follows", target: (nil, "call of a transient service")
            ) { count in
                try sum(count) { try live.call((any Third).self) { $0.value } }
            },
            Case("callAsync", target: (nil, "call")) { count in
                awaiting { try await callAsync(elsewhere, count) }
            },
            Case("callAsync, in a host that follows", target: (nil, "callAsync")) { count in
                awaiting { try await callAsync(live, count) }
            },
            Case("a resolution, while a canary is on", target: (nil, "shared, handed over")) {
                count in
                try sum(count) { try shared.resolve((any Fourth).self).value }
            },
        ]
    }

    private static func call(_ resolver: any Resolver, _ count: Int) throws -> Int {
        try sum(count) { try resolver.call((any Fourth).self) { $0.value } }
    }

    private static func callAsync(_ resolver: any Resolver, _ count: Int) async throws -> Int {
        var sum = 0
        for _ in 0..<count {
            sum &+= try await resolver.callAsync((any Fourth).self) { $0.value }
        }
        return sum
    }

    private static func container(
        _ shared: any Resolver, _ transient: any Resolver
    ) -> [Case] {
        [
            Case("shared", target: (0.75, "S: stored closure")) { count in
                try sum(count) { try shared.borrow((any Fourth).self) { $0.value } }
            },
            Case("shared, named", target: (0.85, "S: stored closure")) { count in
                try sum(count) {
                    try shared.borrow((any Fourth).self, name: "turbo") { $0.value }
                }
            },
            Case("shared, handed over", target: (1.4, "R: function that returns it")) { count in
                try sum(count) { try shared.resolve((any Fourth).self).value }
            },
            Case("shared, named, handed over", target: (nil, "S: stored closure")) { count in
                try sum(count) { try shared.resolve((any Fourth).self, name: "turbo").value }
            },
            Case("transient", target: (1.15, "S: stored closure")) { count in
                try sum(count) { try transient.resolve((any Fourth).self).value }
            },
            Case("transient, depth 4", target: (1.2, "S4: four stored closures")) { count in
                try sum(count) { try transient.resolve((any First).self).value }
            },
        ]
    }

    /// A factory asks for an instance that exists, which is noted for the day on which the instance is retired.
    private static func asking(_ mixed: any Resolver) -> [Case] {
        [
            Case("transient, asks for a shared one", target: (nil, "S: stored closure")) { count in
                try sum(count) { try mixed.resolve((any Third).self).value }
            }
        ]
    }

    private static func handles(_ shared: any Resolver) -> [Case] {
        [
            Case("handle, borrowed", target: (1.5, "P: direct protocol call")) { count in
                try borrow(shared, count)
            },
            Case("handle, borrowed, two threads", target: (0.6, "handle, borrowed")) { count in
                onThreads(2) { try borrow(shared, count / 2) }
            },
        ]
    }

    private static func borrow(_ shared: any Resolver, _ count: Int) throws -> Int {
        var handle = try shared.handle((any Fourth).self)
        return try sum(count) { try handle.borrow { $0.value } }
    }

    /// A sum of the results of several threads.
    private final class Sum: Sendable {
        private let sum = Mutex(0)

        /// An error shows, since `Measurement` checks the sum.
        func add(_ part: Int?) { sum.withLock { $0 += part ?? 0 } }

        var value: Int { sum.withLock { $0 } }
    }

    /// The sum of all threads' results.
    private static func onThreads(
        _ threads: Int, _ body: @escaping @Sendable () throws -> Int
    ) -> Int {
        let (sum, group) = (Sum(), DispatchGroup())
        for thread in 0..<threads {
            // Each queue has a thread of its own.
            DispatchQueue(label: "thread \(thread)").async(group: group) { sum.add(try? body()) }
        }
        group.wait()
        return sum.value
    }

    /// The result of a task.
    private static func awaiting(_ body: @escaping @Sendable () async throws -> Int) -> Int {
        let (sum, end) = (Sum(), DispatchSemaphore(value: 0))
        Task {
            sum.add(try? await body())
            end.signal()
        }
        end.wait()
        return sum.value
    }

    /// A container in which each service needs the next.
    static func chain() throws -> Container {
        let container = Container()
        // The very function of the baseline: the compiler makes one function of equal ones, which is slower than each.
        try container.register((any Fourth).self, factory: Baselines.Closures().fourth)
        try container.register((any Third).self) {
            ThirdObject(try $0.resolve((any Fourth).self))
        }
        try container.register((any Second).self) {
            SecondObject(try $0.resolve((any Third).self))
        }
        try container.register((any First).self) {
            FirstObject(try $0.resolve((any Second).self))
        }
        return container
    }

    private static func sizes() throws -> [Case] {
        try [10, 1_000, 100_000].map { size in
            let container = Container()
            for number in 1..<size {
                try container.register((any Second).self, name: "number \(number)") { _ in
                    SecondObject(ThirdObject(FourthObject(1)))
                }
            }
            try container.register((any Fourth).self, scope: .shared) { _ in FourthObject(1) }
            let resolver = opaque(container)
            let target = size == 10 ? nil : (1.5, "shared, among 10")
            return Case("shared, among \(size)", target: target) { count in
                try sum(count) { try resolver.borrow((any Fourth).self) { $0.value } }
            }
        }
    }

    /// The same code, compiled into this program and into a loaded module.
    private static func inside(_ probe: Probe?) throws -> [Case] {
        let container = Container()
        try container.register((any Console).self, scope: .shared) { _ in QuietConsole() }
        try container.register((any Reading).self, scope: .shared) { _ in QuietReading() }
        let resolver = opaque(container)
        let host = Case("shared, asked in the host") { count in
            try sum(count) {
                try resolver.borrow((any Console).self) { $0.isInteractive ? 1 : 0 }
            }
        }
        let hostGiven = Case("shared, handed over in the host") { count in
            try sum(count) {
                try resolver.resolve((any Console).self).isInteractive ? 1 : 0
            }
        }
        let hostHandle = Case("handle, borrowed in the host") { count in
            var handle = try resolver.handle((any Console).self)
            return try sum(count) { try handle.borrow { $0.isInteractive ? 1 : 0 } }
        }
        let hostOther = Case(
            "the same, of an interface module, in the host", target: (1.05, hostGiven.name)
        ) { count in
            try sum(count) {
                try resolver.resolve((any Reading).self).isInteractive ? 1 : 0
            }
        }
        guard let probe else { return [host, hostGiven, hostOther, hostHandle] }
        let moduleGiven = Case(
            "shared, handed over in a module", target: (1.5, hostGiven.name)
        ) { count in
            probe.run(.resolving, resolver, count)
        }
        return [
            host,
            Case("shared, asked in a module", target: (1.5, host.name)) { count in
                probe.run(.asking, resolver, count)
            },
            hostGiven, moduleGiven, hostOther,
            Case(
                "the same, of an interface module, in a module", target: (1.05, moduleGiven.name)
            ) { count in
                probe.run(.resolvingOther, resolver, count)
            },
            hostHandle,
            Case("handle, borrowed in a module", target: (1.5, hostHandle.name)) { count in
                probe.run(.handle, resolver, count)
            },
        ]
    }

    /// Hides the container's type, so that it is asked through the protocol, as by modules.
    @inline(never)
    private static func opaque(_ container: Container) -> any Resolver { container }

    @inline(__always)
    private static func sum(_ count: Int, _ body: () throws -> Int) rethrows -> Int {
        var sum = 0
        for _ in 0..<count { sum &+= try body() }
        return sum
    }
}
