// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDeclaration
import EavesInterface
import EavesTestSupport
import Testing

@testable import EavesHost

// Modules that use each other, and their ends.
extension LifecycleTests {
    /// The ways in which a host learns that a module uses another one.
    enum Knowledge: CaseIterable {
        case declared, resolved
    }

    @Test(
        "a host that stops stops users before what they use, also if one of them was exchanged",
        arguments: Knowledge.allCases, ["walk", "first", "second", "third"])
    func stopOrder(knowledge: Knowledge, exchanged: String) throws {
        let ids = ["walk", "first", "second", "third"]
        for id in ids { try dropLink(id, id, knowledge) }
        let host = try host()
        _ = try host.resolve((any PopUpFactory).self)
        #expect(Set(diary.lines) == Set(ids.map { "\($0) starts" }))
        try dropLink(exchanged, "\(exchanged) anew", knowledge)
        #expect(changes(host) == ["\(exchanged): draining → serving"])
        try diary.wait(for: "\(exchanged) has stopped")
        host.stop()
        let stopped = diary.lines.filter { $0.hasSuffix(" has stopped") }
        #expect(
            stopped.dropFirst().elementsEqual(
                ids.map { $0 == exchanged ? "\($0) anew has stopped" : "\($0) has stopped" }))
    }

    /// Drops a module of a chain, in which each one uses the next one.
    private func dropLink(_ id: String, _ words: String, _ knowledge: Knowledge) throws {
        func drop<Own: Sendable>(
            _ own: Own.Type, _ link: Own, providing service: String, requiring next: String?,
            asking ask: @escaping @Sendable (any Resolver) throws -> Void
        ) throws {
            let isDeclared = knowledge == .declared
            let declaration = ModuleDeclaration.sample(
                id, provides: [service], requires: next.flatMap { isDeclared ? [$0] : nil } ?? [])
            try folder.drop(declaration) { [diary] registrar in
                registrar.lifecycle(LivingUsers(words, diary))
                registrar.register(own, scope: .shared) { resolver in
                    if !isDeclared { try ask(resolver) }
                    return link
                }
            }
        }
        switch id {
        case "walk":
            try drop(
                (any PopUpFactory).self, PopUps(), providing: "PopUpFactory",
                requiring: "LoginFactory"
            ) { _ = try $0.resolve((any LoginFactory).self) }
        case "first":
            try drop(
                (any LoginFactory).self, Logins(module: id), providing: "LoginFactory",
                requiring: "UserService"
            ) { _ = try $0.resolve((any UserService).self) }
        case "second":
            try drop(
                (any UserService).self, Users(module: id), providing: "UserService",
                requiring: "EventHandler"
            ) { _ = try $0.resolve((any EventHandler).self) }
        default:
            try drop(
                (any EventHandler).self, Events(module: id), providing: "EventHandler",
                requiring: nil
            ) { _ in }
        }
    }
}

private struct PopUps: PopUpFactory {
    func makePopUp(
        message: String, router: ScreenRouter
    ) throws -> any PopUpViewModelInterface {
        throw NoScreen()
    }
}
