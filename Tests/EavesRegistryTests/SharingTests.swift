// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) import EavesInterface
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesRegistry

@Suite("Modules that share the calls of a service", .patiently)
struct SharingTests {
    private let container = Container()
    private let old = CallAccount()
    private let new = CallAccount()

    private func shares(_ weight: Int, of total: Int) -> CallShares {
        CallShares(
            stable: .init("old", weight: total - weight, old),
            canaries: [.init("new", weight: weight, new)])
    }

    private func share(_ shares: CallShares) {
        container.accounts.set([:], sharing: true, keepingUsual: false)
        container.rebind(where: { $0.module == "old" }, sharing: { _ in shares })
    }

    private func wheels(
        _ count: Int, module: String, scope: Scope = .shared, name: String? = nil,
        created: Counter = Counter()
    ) throws {
        try generation(of: module) { registrar in
            registrar.register((any Wheels).self, name: name, scope: scope) { _ in
                created.next()
                return FixedWheels(count: count)
            }
        }.commit(to: container, where: { _ in module == "old" })
    }

    private func draws(_ count: Int, name: String? = nil) throws -> [Int] {
        try (0..<count).map { _ in
            try container.resolve((any Wheels).self, name: name).count
        }
    }

    @Test("forgets the usual calls of modules once no calls are to be compared")
    func usual() {
        let accounts = container.accounts
        accounts.set([:], sharing: false, keepingUsual: true)
        accounts["old"]?.note(isError: true)
        #expect(accounts.usualCalls(of: "old")?.errors == 1)
        accounts.set([:], sharing: false, keepingUsual: false)
        #expect(accounts["old"] == nil && accounts.usualCalls(of: "old") == nil)
    }

    @Test("gives each module exactly its share, evenly spread, and the instances of its own scope")
    func shares() throws {
        let created = [Counter(), Counter()]
        try wheels(1, module: "old", created: created[0])
        try wheels(2, module: "new", created: created[1])
        #expect(try draws(3) == [1, 1, 1])
        share(shares(1, of: 10))
        #expect(try draws(21).indices(where: { $0 == 2 }).ranges.flatMap { $0 } == [0, 10, 20])
        #expect(created.map(\.count) == [1, 1])
        // That a module made an object says nothing about it.
        #expect(old.tally.calls == 0)
        #expect(new.tally.calls == 0)
        #expect(try container.resolveAll((any Wheels).self).map(\.count) == [2, 1])
        // Deciding anew about other services does not begin to count anew.
        let same = shares(1, of: 4)
        share(same)
        #expect(try draws(2) == [2, 1])
        share(same)
        #expect(try draws(3) == [1, 1, 2])
        container.rebind(where: { $0.module == "new" })
        #expect(try draws(5) == [2, 2, 2, 2, 2])
        container.rebind(where: { $0.module == "old" })
        #expect(try draws(5) == [1, 1, 1, 1, 1])
        #expect(created.map(\.count) == [1, 1])
    }

    @Test(
        "never gives a module more than its share, rounded up",
        arguments: [(1, 3), (3, 10), (7, 20), (1, 1000), (125, 1000), (999_999_999, 2_000_000_000)])
    func atMost(weight: Int, total: Int) throws {
        try wheels(1, module: "old")
        try wheels(2, module: "new")
        share(shares(weight, of: total))
        var given = 0
        for count in 1...2_000 {
            given += try draws(1) == [2] ? 1 : 0
            #expect(given * total < weight * count + total)
        }
    }

    @Test("shares named services, and those for which a module answers without the name")
    func named() throws {
        try wheels(1, module: "old", name: "spare")
        try wheels(2, module: "new")
        container.rebind(
            where: { $0.module == "old" }, sharing: { _ in shares(1, of: 2) })
        #expect(try draws(4, name: "spare") == [2, 1, 2, 1])
    }

    @Test("shares services with arguments, awaited ones, and those on the main actor")
    @MainActor func kinds() async throws {
        for (module, count) in [("old", 1), ("new", 2)] {
            try generation(of: module) { registrar in
                registrar.register((any Wheels).self) { (_, more: Int) in
                    FixedWheels(count: count + more)
                }
                registrar.registerAsync((any Engine).self, scope: .shared) { _ in
                    NumberedEngine(count)
                }
                registrar.registerOnMainActor((any Car).self) { _ in
                    SimpleCar(engine: NumberedEngine(count))
                }
            }.commit(to: container, where: { _ in module == "old" })
        }
        let each = (0..<3).map { _ in shares(1, of: 2) }
        container.rebind(
            where: { $0.module == "old" },
            sharing: { registration in
                switch registration.request.service {
                case "Wheels": each[0]
                case "Engine": each[1]
                default: each[2]
                }
            })
        var found: [[Int]] = [[], [], []]
        for _ in 0..<4 {
            found[0].append(
                try container.resolve((any Wheels).self, name: nil, arguments: 10).count)
            found[1].append(try await container.resolveAsync((any Engine).self).id)
            found[2].append(try container.resolveOnMainActor((any Car).self).engine.id)
        }
        #expect(found == [[12, 11, 12, 11], [2, 1, 2, 1], [2, 1, 2, 1]])
        #expect(try await container.resolveAsync((any Car).self).engine.id == 2)
    }

    @Test(
        "lets handles, providers, borrowing, child containers and factories of others draw each time"
    )
    func everybody() throws {
        try wheels(1, module: "old")
        try wheels(2, module: "new")
        try generation(of: "others") {
            $0.register((any Engine).self) {
                NumberedEngine(try $0.resolve((any Wheels).self).count)
            }
        }.commit(to: container)
        var handle = try container.handle((any Wheels).self)
        #expect(try handle.borrow { $0.count } == 1)
        let provider = container.provider((any Wheels).self)
        let child = Container(parent: container)
        container.accounts.set([:], sharing: true, keepingUsual: false)
        container.rebind(
            where: { $0.module != "new" },
            sharing: { $0.module == "old" ? shares(1, of: 2) : nil })
        #expect(try (0..<4).map { _ in try handle.borrow { $0.count } } == [2, 1, 2, 1])
        #expect(try (0..<4).map { _ in try provider.get().count } == [2, 1, 2, 1])
        #expect(
            try (0..<4).map { _ in try container.borrow((any Wheels).self) { $0.count } }
                == [2, 1, 2, 1])
        #expect(
            try (0..<4).map { _ in try child.resolve((any Wheels).self).count } == [2, 1, 2, 1])
        #expect(
            try (0..<4).map { _ in try container.resolve((any Engine).self).id } == [2, 1, 2, 1])
        #expect(
            try (0..<4).map { _ in try child.call((any Wheels).self) { $0.count } } == [2, 1, 2, 1])
        container.rebind(where: { $0.module != "new" })
        #expect(try (0..<3).map { _ in try handle.borrow { $0.count } } == [1, 1, 1])
    }

    @Test(
        "lets the stable module answer where the other one fails, and counts the error",
        arguments: [false, true])
    func failing(isAwaited: Bool) async throws {
        for module in ["old", "new"] {
            let make = { @Sendable () throws -> any Wheels in
                if module == "new" { throw Broken(what: module) }
                return FixedWheels(count: 1)
            }
            try generation(of: module) { registrar in
                if isAwaited {
                    registrar.registerAsync((any Wheels).self, scope: .shared) { _ in try make() }
                } else {
                    registrar.register((any Wheels).self, scope: .shared) { _ in try make() }
                }
            }.commit(to: container, where: { _ in module == "old" })
        }
        share(shares(1, of: 2))
        if !isAwaited { #expect(try draws(6) == [1, 1, 1, 1, 1, 1]) }
        for _ in 0..<6 {
            #expect(try await container.resolveAsync((any Wheels).self).count == 1)
        }
        if isAwaited {
            // A task that was cancelled says nothing about the module, and gets nothing of the stable one.
            let cancelled = Task { [container] in
                withUnsafeCurrentTask { $0?.cancel() }
                return try await container.resolveAsync((any Wheels).self).count
            }
            await #expect(throws: ResolutionError.self) { try await cancelled.value }
        }
        let count = isAwaited ? 3 : 6
        #expect((new.tally.calls, new.tally.errors, old.tally.errors) == (count, count, 0))
    }

    @Test("throws the stable module's own error")
    func stableFails() throws {
        try generation(of: "old") { registrar in
            registrar.register((any Wheels).self) { _ in throw Broken(what: "old") }
        }.commit(to: container)
        try wheels(2, module: "new")
        share(shares(1, of: 2))
        #expect(try draws(1) == [2])
        let error = #expect(throws: ResolutionError.self) { try draws(1) }
        #expect("\(try #require(error))".contains("old"))
        #expect(old.tally.errors == 1)
    }

    @Test("counts what measured calls do, and how long they take, for the module that answered")
    func measured() async throws {
        try wheels(1, module: "old")
        try wheels(2, module: "new")
        share(shares(1, of: 2))
        for number in 0..<6 {
            do {
                try container.call((any Wheels).self) { wheels in
                    if wheels.count == 2, number > 0 { throw Broken(what: "call") }
                }
            } catch is Broken {}
        }
        try await container.weaklyHeld.callAsync((any Wheels).self) { _ in await Task.yield() }
        #expect(new.tally.calls == 4)
        #expect(new.tally.errors == 2)
        #expect(new.tally.measured == 4)
        #expect(old.tally.calls == 3)
        #expect(old.tally.errors == 0)
        #expect(try #require(old.tally.time(of: 0.5)) > 0)
    }

    @Test("does not share what the host overrides, or what no other module provides")
    func overridden() throws {
        try wheels(1, module: "old")
        share(shares(1, of: 2))
        #expect(try draws(2) == [1, 1])
        try wheels(2, module: "new")
        let host = StagedRegistrar(module: nil, settings: Settings())
        host.register((any Wheels).self) { _ in FixedWheels(count: 9) }
        let overriding = host.override(in: container)
        share(shares(1, of: 2))
        #expect(try draws(2) == [9, 9])
        container.undo(overriding)
        #expect(try draws(2) == [1, 1])
        share(shares(1, of: 2))
        #expect(try draws(2) == [2, 1])
    }

    @Test("is exact from several threads, while modules are exchanged, and no call fails")
    func exactness() throws {
        for (module, count) in [("old", 1), ("new", 2)] {
            try wheels(count, module: module, scope: .transient)
        }
        let shares = shares(1, of: 10)
        share(shares)
        let calls = Soak.rounds(20_000)
        let canary = Counter()
        let failures = Counter()
        Threads.run(3) { number in
            if number == 0 {
                for round in 0..<calls / 100 {
                    if round % 4 == 3 {
                        let module = round % 8 == 3 ? "old" : "new"
                        let next = generation(of: module) { registrar in
                            registrar.register((any Wheels).self) { _ in
                                FixedWheels(count: module == "old" ? 1 : 2)
                            }
                        }
                        do {
                            _ = try next.replace(in: container, where: { $0.module == "old" })
                        } catch {
                            failures.next()
                        }
                    }
                    share(shares)
                }
                return
            }
            for _ in 0..<calls {
                do {
                    if try container.resolve((any Wheels).self).count == 2 { canary.next() }
                } catch {
                    failures.next()
                }
            }
        }
        #expect(failures.count == 0)
        // While a module is exchanged, the stable one may answer alone.
        #expect(canary.count <= 2 * calls / 10)
        // All calls may have come while one was exchanged. Now the next ten are shared as agreed.
        #expect(try draws(10).filter { $0 == 2 }.count == 1)
    }

    @Test("counts the failures of a module's own factories, and not those of what it needs")
    func factories() throws {
        let account = CallAccount()
        let registrar = StagedRegistrar(module: "new", settings: Settings(), counting: account)
        registrar.register((any Wheels).self) { _ in throw Broken(what: "wheels") }
        registrar.register((any Wheels).self, name: "cancelled") { _ in throw CancellationError() }
        registrar.register((any Engine).self, scope: .shared) { _ in NumberedEngine(1) }
        registrar.register((any Car).self) {
            SimpleCar(engine: try $0.resolve((any Engine).self, name: "other"))
        }
        registrar.register((any Car).self, name: "missing") {
            SimpleCar(engine: try $0.resolve((any Engine).self, name: "nobody's"))
        }
        try registrar.commit(to: container)
        try generation(of: "others") {
            $0.register((any Engine).self, name: "other") { _ in throw Broken(what: "engine") }
        }.commit(to: container)
        #expect(throws: ResolutionError.self) { try container.resolve((any Wheels).self) }
        #expect(account.tally.errors == 1)
        #expect(throws: ResolutionError.self) { try container.resolve((any Car).self) }
        #expect(account.tally.errors == 1)
        _ = try failure { try container.resolve((any Car).self, name: "missing") }
        #expect(account.tally.errors == 2)
        _ = try container.resolve((any Engine).self)
        _ = try container.resolve((any Engine).self)
        #expect(account.tally.calls == 2)
        // A task that was cancelled says nothing about the module.
        #expect(throws: (any Error).self) {
            try container.resolve((any Wheels).self, name: "cancelled")
        }
        #expect(account.tally.calls == 2)
        account.close()
        #expect(throws: ResolutionError.self) { try container.resolve((any Wheels).self) }
        #expect(account.tally.calls == 2)
    }

    @Test("notes calls that wait for an object as calls that hang, once each")
    func hangingFactory() throws {
        let end = Awaited<Bool>()
        for module in ["old", "new"] {
            try generation(of: module) { registrar in
                registrar.register((any Wheels).self, name: module) { _ in
                    _ = end.wait(within: Patience.limit)
                    return FixedWheels(count: 1)
                }
            }.commit(to: container)
        }
        container.accounts.set(["new": new], sharing: false, keepingUsual: false)
        let ended = Counter()
        for module in ["new", "new", "old"] {
            try DetachedThread.start { [container] in
                _ = try? container.call((any Wheels).self, name: module) { $0.count }
                ended.next()
            }
        }
        try Patience.wait(for: "the calls to begin") {
            new.tally(hangingAfter: .zero, at: CallClock.nanoseconds).open == 2
        }
        let later = CallClock.nanoseconds + 60_000_000_000
        #expect(new.tally(hangingAfter: .zero, at: later).errors == 2)
        end.set(true)
        try Patience.wait(for: "the calls to end") { ended.count == 3 }
        #expect((new.tally.calls, new.tally.errors) == (2, 2))
    }

    @Test("knows medians and other shares of times to about a tenth")
    func times() throws {
        for exact: UInt64 in [1, 3, 7, 100, 5_000, 1_000_000, 40_000_000_000] {
            var tally = CallTally()
            tally.add(nanoseconds: exact, count: 10)
            tally.add(nanoseconds: exact * 100, count: 3)
            let found = try #require(tally.time(of: 0.5))
            #expect(abs(Double(found) - Double(exact)) <= Double(exact) * 0.13)
        }
        #expect(CallTally().time(of: 0.5) == nil)
    }
}
