// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The object that `eaves verify --json` prints, with exactly its keys.
struct VerifyOutcome: Decodable {
    struct Check: Decodable {
        let id: String
        let meaning: String
        let result: String
        let message: String?
        let fix: String?
        let signal: Int32?
        let signalName: String?
        let frame: String?
        let backtrace: [String]
        let output: String?
    }

    struct Module: Decodable {
        let id: String
        let path: String
        let passed: Bool
        let walled: Bool
        let checks: [Check]

        func check(_ id: String) throws -> Check {
            try #require(checks.first { $0.id == id }, "\(id)")
        }

        /// The ids of the checks that ended like this.
        func ids(_ result: String) -> [String] { checks.filter { $0.result == result }.map(\.id) }
    }

    let schema: Int
    let modules: [Module]
}

extension Workspace {
    /// Runs `eaves verify --json`, which has to print one object and nothing else.
    ///
    /// - Parameter code: The exit code that is expected.
    @discardableResult
    func verify(
        _ arguments: String..., options: [String] = [], code: Int32,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [VerifyOutcome.Module] {
        let outcome = try eaves(["verify", "--json"] + options + arguments)
        #expect(outcome.code == code, "\(outcome)", sourceLocation: sourceLocation)
        #expect(outcome.signal == nil, sourceLocation: sourceLocation)
        let decoded = try JSONDecoder().decode(
            VerifyOutcome.self, from: Data(outcome.output.utf8))
        #expect(decoded.schema == 1, sourceLocation: sourceLocation)
        // Every workspace has the common interface, which is not what these tests are about.
        return decoded.modules.filter { $0.id != "common" || arguments.contains("common") }
    }

    /// With a manifest that lists nothing.
    ///
    /// - Parameter modules: The ids of the shipped modules to put into `Plugins`.
    static func bare(_ modules: [String] = []) throws -> Workspace {
        let workspace = try Workspace(modules: modules)
        try workspace.manifest(#"{"manifest": 1}"#)
        return workspace
    }

    /// With the fixture `MisbehavesInC` and nothing else.
    ///
    /// - Parameter macros: The macros that it is compiled with.
    static func inC(_ macros: [String: String] = [:]) throws -> Workspace {
        let workspace = try bare()
        try workspace.drop(CFixtures.module("MisbehavesInC", macros: macros), as: "c.so")
        return workspace
    }

    /// With the fixture `Misbehaves` and nothing else, told what to do.
    static func misbehaving(_ settings: [String: String]) throws -> Workspace {
        let workspace = try Workspace(modules: [])
        try workspace.drop(SwiftFixtures.module("misbehaves"))
        try workspace.misbehave(settings)
        return workspace
    }

    /// Tells the fixture `Misbehaves` where to do what.
    func misbehave(_ settings: [String: String]) throws {
        let members = settings.sorted { $0.key < $1.key }.map { "\"\($0)\": \"\($1)\"" }
        try manifest(
            """
            {"manifest": 1, "modules": {"misbehaves": {"settings": \
            {\(members.joined(separator: ", "))}}}}
            """)
    }
}
