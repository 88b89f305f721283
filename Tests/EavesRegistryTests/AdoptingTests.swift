// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
import EavesTestSupport
import Testing

/// Chooses some modules for a container, others than its home does.
final class FixedChooser: ServiceChooser {
    struct Choice: Sendable {
        var chosen: [String] = []
        var isCopying = false
    }

    private let state: Locked<Choice>

    init(_ chosen: [String], copying isCopying: Bool = false) {
        state = Locked(Choice(chosen: chosen, isCopying: isCopying))
    }

    var choice: Choice {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func choose(_ request: ServiceRequest, in container: Container) {
        guard let home = container.lineage.last else { return }
        for module in choice.chosen { container.adopt(module: module, of: home) }
    }

    func adoption(of module: String, in container: Container) -> Adoption? {
        let choice = choice
        return Adoption(
            copying: choice.isCopying, alsoNamed: { _ in [] },
            where: { _ in choice.chosen.contains(module) })
    }
}

@Suite("Containers that choose differently, while modules are exchanged")
struct AdoptingTests {
    private let home = Container()

    /// A module with an engine and a car that keeps the engine that it is given.
    private func cars(_ number: Int, module: String) -> StagedRegistrar {
        generation(of: module) { registrar in
            registrar.register((any Engine).self, scope: .shared) { _ in NumberedEngine(number) }
            registrar.register((any Car).self, scope: .shared) {
                KeepingCar(try $0.resolve((any Engine).self))
            }
        }
    }

    private func load() throws {
        try cars(10, module: "a").commit(to: home)
        try cars(20, module: "b").commit(to: home, where: { _ in false })
    }

    private func child(
        _ chosen: String, copying isCopying: Bool = false
    ) -> (container: Container, chooser: FixedChooser) {
        let chooser = FixedChooser([chosen], copying: isCopying)
        return (Container(parent: home, chooser: chooser), chooser)
    }

    private func engine(in container: Container) throws -> Int {
        try container.resolve((any Engine).self).id
    }

    @Test("give the new generation as soon as it is exchanged", arguments: [false, true])
    func replace(isCopying: Bool) throws {
        try load()
        let (child, _) = child("b", copying: isCopying)
        var handle = try child.handle((any Engine).self)
        try handle.borrow { #expect($0.id == 20) }
        #expect(try child.resolve((any Car).self).engine.id == (isCopying ? 20 : 10))
        let retired = try cars(21, module: "b").replace(in: home, where: { _ in false })
        #expect(try engine(in: child) == 21)
        try handle.borrow { #expect($0.id == 21) }
        #expect(try engine(in: home) == 10)
        #expect(!retired.requests.isEmpty)
    }

    @Test("keep the instances of what is not exchanged")
    func untouched() throws {
        try load()
        let (child, _) = child("b", copying: true)
        let car = try child.resolve((any Car).self) as? KeepingCar
        _ = try cars(11, module: "a").replace(in: home)
        #expect(try child.resolve((any Car).self) as? KeepingCar === car)
        home.rebind(where: { $0.module == "a" })
        #expect(try child.resolve((any Car).self) as? KeepingCar === car)
        #expect(try engine(in: home) == 11)
    }

    @Test("follow where the choice has changed, and keep the copies for later")
    func rebind() throws {
        try load()
        let (child, chooser) = child("b", copying: true)
        let car = try child.resolve((any Car).self) as? KeepingCar
        #expect(car?.engine.id == 20)
        chooser.choice.chosen = []
        home.rebind(where: { $0.module == "a" })
        #expect(try child.resolve((any Car).self).engine.id == 10)
        chooser.choice.chosen = ["b"]
        home.rebind(where: { $0.module == "a" })
        #expect(try child.resolve((any Car).self) as? KeepingCar === car)
    }

    @Test("give nothing of a module that was taken back, and adopt it anew when it is back")
    func retire() throws {
        try load()
        let (child, _) = child("b")
        #expect(try engine(in: child) == 20)
        home.unregister(module: "b")
        #expect(try engine(in: child) == 10)
        try cars(21, module: "b").commit(to: home, where: { _ in false })
        #expect(try engine(in: child) == 21)
        _ = try cars(22, module: "b").replace(in: home, where: { _ in false })
        #expect(try child.resolveIfProvided((any Engine).self)?.id == 22)
    }

    @Test("keep what they override themselves")
    func overriding() throws {
        try load()
        let (child, _) = child("b")
        #expect(try engine(in: child) == 20)
        let registrar = StagedRegistrar(module: nil, settings: Settings())
        registrar.register((any Engine).self) { _ in NumberedEngine(99) }
        let overriding = registrar.override(in: child)
        _ = try cars(21, module: "b").replace(in: home, where: { _ in false })
        #expect(try engine(in: child) == 99)
        child.undo(overriding)
        #expect(try engine(in: child) == 21)
    }

    @Test("have the decorators of the new generation, and their own")
    func decorators() throws {
        func decorated(_ digit: Int) -> StagedRegistrar {
            generation(of: "b") { registrar in
                registrar.register((any Engine).self) { _ in NumberedEngine(digit) }
                registrar.decorate((any Engine).self) { _, inner in
                    NumberedEngine(inner.id * 10 + digit)
                }
            }
        }
        try decorated(1).commit(to: home)
        let (child, _) = child("b", copying: true)
        #expect(try engine(in: child) == 11)
        child.decorate((any Engine).self) { _, inner in NumberedEngine(inner.id * 10 + 9) }
        #expect(try engine(in: child) == 119)
        _ = try decorated(2).replace(in: home)
        #expect(try engine(in: child) == 229)
        #expect(child.content.decorators.count == 2)
    }

    @Test("are not kept by their home")
    func released() throws {
        try load()
        weak var kept: Container?
        do {
            let (child, _) = child("b")
            _ = try engine(in: child)
            kept = child
        }
        #expect(kept == nil)
        _ = try cars(21, module: "b").replace(in: home, where: { _ in false })
    }
}
