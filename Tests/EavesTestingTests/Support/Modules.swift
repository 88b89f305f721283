// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTestSupport
import Synchronization

/// A folder of real modules that a test run builds once: some of the shipped modules, and one whose services
/// have to be awaited. It contains a manifest for each kind of test.
struct Modules {
    private let folder: TemporaryFolder

    /// The manifest that binds services to the shipped modules.
    static func manifest() throws -> String { try shared.get().path("manifest.json") }

    /// The manifest that binds services to the module whose services have to be awaited.
    static func awaiting() throws -> String { try shared.get().path("awaiting.json") }

    /// The manifest without bindings, where several modules provide users.
    static func unbound() throws -> String { try shared.get().path("unbound.json") }

    /// The manifest that pins the module of users to another content than it has.
    static func pinned() throws -> String { try shared.get().path("pinned.json") }

    /// The manifest that has two problems.
    static func wrong() throws -> String { try shared.get().path("wrong.json") }

    private static let shared = Result { try Modules() }

    private init() throws {
        folder = try TemporaryFolder()
        let plugins = try folder.createFolder("Plugins")
        let shipped = try BuiltProject.shipped.get()
        try shipped.copy(
            ["analytics", "common", "users", "users-memory", "users-v2"], into: plugins)
        let own = try BuiltProject(
            "testing", manifest: #"{ "manifest": 1 }"#,
            modules: [
                "Tests/Fixtures/AwaitsServices", "Tests/EavesTestingTests/Greeter",
            ], files: [shipped.file("common")])
        try own.copy(["awaits-services", "greeter"], into: plugins)
        try write("manifest", ["UserService": "users-memory", "EventHandler": "analytics"])
        try write(
            "awaiting", ["UserService": "awaits-services", "EventHandler": "awaits-services"])
        try write("unbound", [:])
        let digest = String(repeating: "0", count: 64)
        try write("pinned", [:], #", "modules": { "users": { "sha256": "\#(digest)" } }"#)
        try write("wrong", [:], #", "first": 1, "second": 2"#)
    }

    private func path(_ name: String) -> String { folder.file(name) }

    private func write(
        _ name: String, _ bindings: [String: String], _ rest: String = ""
    ) throws {
        let members = bindings.map { "\"\($0)\": \"\($1)\"" }.joined(separator: ", ")
        let text = #"{ "manifest": 1, "bindings": { \#(members) }\#(rest) }"#
        try folder.write(text, to: name + ".json")
    }
}

/// Knows the users that a test names.
struct MockUsers: UserService {
    let names: [String]

    init(_ names: String...) {
        self.names = names
    }

    func users() async throws -> [User] {
        names.enumerated().map { User(id: $0.offset + 1, name: $0.element) }
    }
}

/// Keeps events for the test.
final class KeptEvents: EventHandler {
    private let kept = Mutex<[Event]>([])
    var names: [String] { kept.withLock { $0.map(\.name) } }

    func handle(_ event: Event) async throws {
        kept.withLock { $0.append(event) }
    }
}

/// A service of users that fails when a module asks for them.
struct UnavailableUsers: UserService {
    struct Unavailable: Error {}

    func users() async throws -> [User] { throw Unavailable() }
}

/// Prints a line.
struct Saying: Feature {
    let line: String

    func launch(_ launch: Launch) async throws -> ExitCode {
        try launch.console.print(line)
        return ExitCode(7)
    }
}

/// Counts from 1 on.
final class Counter: Sendable {
    private let number = Mutex(0)

    func next() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }
}
