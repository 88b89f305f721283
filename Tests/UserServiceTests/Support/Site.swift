// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesTestSupport
import EavesTesting
import Foundation

/// A folder with a manifest that binds the users to one of the built modules. It is gone with its owner.
struct Site {
    let folder: TemporaryFolder

    /// - Parameters:
    ///   - module: The module that the users are bound to.
    ///   - settings: The settings of this module, in JSON.
    init(_ module: String, settings: String = "{}") throws {
        folder = try TemporaryFolder()
        try folder.write(
            """
            { "manifest": 1, "directories": ["\(try BuiltModules.folder())"],
              "modules": { "\(module)": { "settings": \(settings) } },
              "bindings": { "UserService": "\(module)" } }
            """, to: "manifest.json")
    }

    func container() throws -> TestContainer { try TestContainer(manifest: folder.path) }

    /// Runs `serve-users` over the users of this folder while `body` runs.
    ///
    /// - Parameter body: Gets the server's address.
    func serving<Result: Sendable>(_ body: (String) async throws -> Result) async throws -> Result {
        let container = try container()
        let console = FirstLine()
        let server = Task {
            let launch = Launch(arguments: ["--port", "0"], console: console)
            defer { console.end() }
            return try await container.launch("serve-users", launch)
        }
        defer { server.cancel() }
        guard let address = await console.line() else {
            _ = try await server.value
            throw FixtureError("serve-users ended without an address")
        }
        let result = try await body(address)
        server.cancel()
        _ = try await server.value
        return result
    }
}

/// A console on which one line is printed, for which a test waits.
final class FirstLine: Console {
    let isInteractive = false
    private let lines: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() {
        (lines, continuation) = AsyncStream.makeStream()
    }

    /// The line; `nil` if the feature ended without one.
    func line() async -> String? {
        for await text in lines { return text.trimmingCharacters(in: .newlines) }
        return nil
    }

    func end() { continuation.finish() }
    func readLine() -> String? { nil }
    func write(_ text: String) { continuation.yield(text) }
    func warn(_ text: String) {}
}

/// The shipped modules of users.
enum BuiltModules {
    /// The folder with their `.so` files alone.
    static func folder() throws -> String { try copied.get().path }

    private static let copied = Result {
        let folder = try TemporaryFolder()
        let ids = ["common", "users-memory", "users-rest", "users-sqlite", "users-server"]
        try BuiltProject.shipped.get().copy(ids, into: folder.path)
        return folder
    }
}
