// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// The composition root is a module like any other: the manifest exchanges it, and no feature is built anew.
@Suite("the shipped application's composition", .onOwnThreads, .patiently)
struct ApplicationCompositionTests {
    private let application: ShippedApplication
    private var eaves: Eaves { application.eaves }

    init() throws {
        application = try ShippedApplication()
        try FileManager.default.copyItem(
            at: Repository.file("Tests/Fixtures/Composition/OtherComposition"),
            to: application.url.appendingPathComponent("Plugins/OtherComposition"))
        let build = try eaves("build")
        #expect(build.code == 0, "\(build)")
        let built = build.errors.split(separator: "\n").filter { $0.hasPrefix("built ") }
        #expect(built.count == 1 && built[0].hasPrefix("built other-composition in "), "\(build)")
    }

    /// Registers, edits the account, logs out, and fails to log in.
    ///
    /// - Returns: The headings of the screens after the account was saved, and the names of the events.
    private func flow(confirming: Bool) throws -> (headings: [String], events: [String]) {
        let events = application.url.appendingPathComponent("events.jsonl")
        let place = application.url.appendingPathComponent("navigation.json")
        for file in [events, place] { try? FileManager.default.removeItem(at: file) }
        let lines =
            [
                "/Register", "Ada", "secret", "secret", "Register", "/Edit profile", "Ada",
                "a@b.example", "green", "Save",
            ] + (confirming ? ["OK"] : []) + ["/Log out", "Ada", "wrong", "Log in", "/quit"]
        let outcome = try eaves([], input: lines.map { $0 + "\n" }.joined())
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.errors == "")
        let all = outcome.lines
        let headings = all.indices.filter { index in
            index + 1 < all.count && !all[index].isEmpty
                && all[index + 1] == String(repeating: "=", count: all[index].count)
        }.map { all[$0] }
        struct Line: Decodable { let event: String }
        let kept = try String(contentsOf: events, encoding: .utf8).split(separator: "\n")
            .map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)).event }
        return (Array(headings.dropFirst(4)), kept)
    }

    private func bind(to module: String) throws {
        for service in ["LoginEventHandler", "ProfileRouting"] {
            let swap = try eaves("swap", service, module)
            #expect(swap.code == 0, "\(swap)")
        }
    }

    @Test("is exchanged for another one in the manifest, and back again")
    func exchanged() throws {
        let features = try features()
        try bind(to: "composition")
        let shipped = try flow(confirming: true)
        #expect(shipped.headings == ["Home > Message", "Home", "Log in", "Log in"])
        #expect(shipped.events == ["login.refused"])
        try bind(to: "other-composition")
        let other = try flow(confirming: false)
        #expect(other.headings == ["Home", "Log in", "Log in"])
        #expect(other.events == ["watched.out"])
        // It does its work also where the shipped one is switched off.
        try eaves("disable", "composition")
        #expect(try flow(confirming: false).events == ["watched.out"])
        try eaves("enable", "composition")
        try bind(to: "composition")
        #expect(try flow(confirming: true).events == ["login.refused"])
        #expect(try self.features() == features)
    }

    /// The files of the features, which nobody has touched.
    private func features() throws -> [Data] {
        try ["login", "profile", "home", "register", "users", "popup"].map {
            try Data(contentsOf: application.url.appendingPathComponent("Plugins/\($0).so"))
        }
    }
}
