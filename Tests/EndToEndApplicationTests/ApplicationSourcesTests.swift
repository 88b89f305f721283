// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// The same feature in two flows with two sources at once, and the choice between sources in the manifest alone.
@Suite("the shipped application's sources of users", .onOwnThreads, .patiently)
struct ApplicationSourcesTests {
    private let application: ShippedApplication
    private var eaves: Eaves { application.eaves }

    init() throws {
        application = try ShippedApplication()
    }

    private static let link = "eaves://users;from=v1/users;from=v2"

    /// Opens both flows, shows a user of the upper one, goes back, and shows one of the lower one.
    private func flows(upper: String, lower: String) throws -> [String] {
        let outcome = try eaves(
            ["open", Self.link],
            input: [upper, "OK", "/back", lower, "OK", "/quit"].map { $0 + "\n" }.joined())
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.errors == "")
        return outcome.lines.filter { !$0.isEmpty && !$0.hasPrefix("=") && !$0.hasPrefix("[") }
    }

    @Test("are two in one run, each with its own data in the same screen")
    func twoFlows() throws {
        let upper = ["Users from v1 > Users from v2", "1. Charlie"]
        let lower = ["Users from v1", "1. Alice", "2. Bob"]
        #expect(
            try flows(upper: "1", lower: "2")
                == upper
                + ["Users from v1 > Users from v2 > Message", "Charlie has no address."]
                + upper + lower
                + ["Users from v1 > Message", "Bob has no address."] + lower)
    }

    @Test("are exchanged in the manifest alone")
    func exchanged() throws {
        let files = try modules()
        try eaves("swap", "UserService#v1", "users-v2")
        #expect(
            try eaves("swap", "UserService#v2", "users-memory").errors
                == "UserService#v2: users-v2 → users-memory\n")
        #expect(try modules() == files)
        let seen = try flows(upper: "2", lower: "1")
        #expect(seen.prefix(3) == ["Users from v1 > Users from v2", "1. Alice", "2. Bob"])
        #expect(
            seen.suffix(4) == [
                "Users from v1 > Message", "Charlie has no address.", "Users from v1", "1. Charlie",
            ])
        #expect(try eaves("launch", "users", "--from", "v1").output == "2 Charlie\n")
        let once = try eaves(
            "launch", "--with", "UserService#v1=users-memory", "users", "--from", "v1")
        #expect(once.output == "1 Alice\n2 Bob\n")
    }

    /// The bytes of all modules, by their names.
    private func modules() throws -> [String: Data] {
        let folder = application.url.appendingPathComponent("Plugins")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.filter { $0.hasSuffix(".so") }.map {
                ($0, try Data(contentsOf: folder.appendingPathComponent($0)))
            })
    }
}
