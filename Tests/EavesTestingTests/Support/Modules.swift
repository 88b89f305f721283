// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesSystem
import Foundation

/// A folder of real modules that a test run builds once: some of the shipped modules, and one whose services
/// have to be awaited. It contains a manifest for each kind of test.
struct Modules {
    private let folder: URL

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

    private static let shared: Result<Modules, any Error> = Result {
        // Threads that still run module code at this time do not need the files any more.
        atexit { try? FileManager.default.removeItem(at: Modules.shared.get().folder) }
        return try Modules()
    }

    private init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("eaves-\(UUID().uuidString)")
        let plugins = folder.appendingPathComponent("Plugins")
        try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
        let repository = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folders = [
            "Plugins/Analytics", "Plugins/Common", "Plugins/Users", "Plugins/UsersMemory",
            "Plugins/UsersV2", "Tests/EndToEndTests/Fixtures/AwaitsServices",
            "Tests/EavesTestingTests/Greeter",
        ]
        let sources = folders.map { repository.appendingPathComponent($0).path }
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let builder = Builder(forHost: program)
        let requests = try sources.map { try BuildRequest(folder: $0, output: plugins.path) }
        for result in builder.build(requests) {
            if let error = result.error {
                throw BuildFailed(error: error, output: result.compilerOutput)
            }
        }
        try write("manifest", ["UserService": "users-memory", "EventHandler": "analytics"])
        try write(
            "awaiting", ["UserService": "awaits-services", "EventHandler": "awaits-services"])
        try write("unbound", [:])
        let digest = String(repeating: "0", count: 64)
        try write("pinned", [:], #", "modules": { "users": { "sha256": "\#(digest)" } }"#)
        try write("wrong", [:], #", "first": 1, "second": 2"#)
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func write(
        _ name: String, _ bindings: [String: String], _ rest: String = ""
    ) throws {
        let members = bindings.map { "\"\($0)\": \"\($1)\"" }.joined(separator: ", ")
        let text = #"{ "manifest": 1, "bindings": { \#(members) }\#(rest) }"#
        try Data(text.utf8).write(to: folder.appendingPathComponent(name + ".json"))
    }

    private struct BuildFailed: Error, CustomStringConvertible {
        let error: BuildError
        let output: String
        var description: String { "\(error)\n\(output)" }
    }
}
