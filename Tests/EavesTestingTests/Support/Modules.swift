// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesSystem
import Foundation

/// A folder of real modules, built once in a run: the shipped ones, and one whose services have to be
/// awaited. With a manifest for each kind of test.
struct Modules {
    private let folder: URL

    /// The manifest that binds services to shipped modules.
    static func manifest() throws -> String { try shared.get().path("manifest.json") }

    /// The manifest that binds services to the module whose services have to be awaited.
    static func awaiting() throws -> String { try shared.get().path("awaiting.json") }

    /// The manifest that binds nothing: several modules provide users.
    static func unbound() throws -> String { try shared.get().path("unbound.json") }

    private static let shared: Result<Modules, any Error> = Result {
        // Other threads may still run code of modules by then; their files are not needed any more.
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
        let shipped = repository.appendingPathComponent("Plugins")
        var sources = try FileManager.default.contentsOfDirectory(atPath: shipped.path)
            .filter { !$0.hasSuffix(".so") }.map { shipped.appendingPathComponent($0).path }
        sources.append(
            repository.appendingPathComponent("Tests/EndToEndTests/Fixtures/AwaitsServices").path)
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let builder = Builder(forHost: program, store: folder.appendingPathComponent(".eaves").path)
        let requests = try sources.map { try BuildRequest(folder: $0, output: plugins.path) }
        for result in builder.build(requests) {
            if let error = result.error { throw Unbuilt(error: error, said: result.compilerOutput) }
        }
        try write("manifest", ["UserService": "users-memory", "HomeFactory": "home"])
        try write("awaiting", ["UserService": "awaits-services", "HomeFactory": "awaits-services"])
        try write("unbound", [:])
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func write(_ name: String, _ bindings: [String: String]) throws {
        let members = bindings.map { "\"\($0)\": \"\($1)\"" }.joined(separator: ", ")
        let text = #"{ "manifest": 1, "bindings": { \#(members) } }"#
        try Data(text.utf8).write(to: folder.appendingPathComponent(name + ".json"))
    }

    private struct Unbuilt: Error, CustomStringConvertible {
        let error: BuildError
        let said: String
        var description: String { "\(error)\n\(said)" }
    }
}
