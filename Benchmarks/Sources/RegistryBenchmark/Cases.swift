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
        try baselines() + container() + sizes() + inside(probe)
    }

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
        return container(opaque(shared), transient) + asking(opaque(mixed))
            + handles(opaque(shared))
            + calls(
                opaque(shared), opaque(try exchanged()), judged: opaque(try judged()),
                opaque(try living()))
    }

    /// A container with the service of a module that has a life cycle, whose calls it counts.
    private static func living() throws -> Container {
        struct Living: Lifecycle {}
        let container = Container()
        let registrar = StagedRegistrar(module: "living", settings: Settings())
        registrar.lifecycle(Living())
        registrar.register((any Fourth).self, scope: .shared) { _ in FourthObject(1) }
        try registrar.commit(to: container)
        return container
    }

    /// The service of another container, whose modules are exchanged.
    private static func exchanged() throws -> Container {
        let container = Container()
        container.expectExchanges()
        try container.register((any Fourth).self, scope: .shared) { _ in FourthObject(1) }
        return container
    }

    /// The service of a module in a host that follows the disk, and notes all calls.
    private static func judged() throws -> Container {
        let container = Container()
        container.expectExchanges()
        let registrar = StagedRegistrar(module: "judged", settings: Settings())
        registrar.register((any Fourth).self, scope: .shared) { _ in FourthObject(1) }
        try registrar.commit(to: container)
        container.accounts.set([:], sharing: false, keepingUsual: true)
        return container
    }

    private static func calls(
        _ shared: any Resolver, _ exchanged: any Resolver, judged: any Resolver,
        _ living: any Resolver
    ) -> [Case] {
        [
            Case("call", target: (nil, "shared, handed over")) { count in
                try sum(count) { try shared.call((any Fourth).self) { $0.value } }
            },
            Case("call, where modules are exchanged", target: (nil, "call")) { count in
                try sum(count) { try exchanged.call((any Fourth).self) { $0.value } }
            },
            Case("call, where modules are judged", target: (nil, "call")) { count in
                try sum(count) { try judged.call((any Fourth).self) { $0.value } }
            },
            Case("call, with a life cycle", target: (nil, "call")) { count in
                try sum(count) { try living.call((any Fourth).self) { $0.value } }
            },
            Case("handle, borrowed, with a life cycle", target: (nil, "call")) { count in
                try borrow(living, count)
            },
        ]
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
            Case("shared, handed over", target: (nil, "S: stored closure")) { count in
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
                try onTwoThreads { try borrow(shared, count / 2) }
            },
        ]
    }

    private static func borrow(_ shared: any Resolver, _ count: Int) throws -> Int {
        var handle = try shared.handle((any Fourth).self)
        return try sum(count) { try handle.borrow { $0.value } }
    }

    /// The sum of both threads' results.
    private static func onTwoThreads(_ body: @Sendable () throws -> Int) throws -> Int {
        let sum = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            // An error shows, since `Measurement` checks the sum.
            if let part = try? body() { sum.withLock { $0 += part } }
        }
        return sum.withLock { $0 }
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
