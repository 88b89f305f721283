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
    @Test(
        "a host that stops stops users before what they use, also if one of them was exchanged",
        arguments: ["walk", "first", "second", "third"])
    func stopOrder(exchanged: String) throws {
        let ids = ["walk", "first", "second", "third"]
        for id in ids { try dropLink(id, id) }
        let host = try host()
        _ = try host.resolve((any PopUpFactory).self)
        #expect(Set(diary.lines) == Set(ids.map { "\($0) starts" }))
        try dropLink(exchanged, "\(exchanged) anew")
        #expect(changes(host) == ["\(exchanged): draining → serving"])
        try diary.wait(for: "\(exchanged) has stopped")
        host.stop()
        let stopped = diary.lines.filter { $0.hasSuffix(" has stopped") }
        #expect(
            stopped.dropFirst().elementsEqual(
                ids.map { $0 == exchanged ? "\($0) anew has stopped" : "\($0) has stopped" }))
    }

    /// Drops a module of a chain, in which each one uses the next one.
    private func dropLink(_ id: String, _ words: String) throws {
        func drop<Own: Sendable>(
            _ own: Own.Type, _ link: Own, providing service: String, requiring next: String?
        ) throws {
            let declaration = ModuleDeclaration.sample(
                id, provides: [service], requires: next.map { [$0] } ?? [])
            try folder.drop(declaration) { [diary] registrar in
                registrar.lifecycle(LivingUsers(words, diary))
                registrar.register(own, scope: .shared) { _ in link }
            }
        }
        switch id {
        case "walk":
            try drop(
                (any PopUpFactory).self, PopUps(), providing: "PopUpFactory",
                requiring: "LoginFactory")
        case "first":
            try drop(
                (any LoginFactory).self, Logins(module: id), providing: "LoginFactory",
                requiring: "UserService")
        case "second":
            try drop(
                (any UserService).self, Users(module: id), providing: "UserService",
                requiring: "EventHandler")
        default:
            try drop(
                (any EventHandler).self, Events(module: id), providing: "EventHandler",
                requiring: nil)
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
