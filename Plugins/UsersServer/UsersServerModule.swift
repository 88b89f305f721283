// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Registers the feature `serve-users`.
enum UsersServerModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("serve-users") { resolver in
            ServeUsers(
                users: try resolver.resolve((any UserService).self),
                listeners: try resolver.resolve((any Listeners).self),
                logger: try resolver.resolve(Logger.self))
        }
    }
}

/// Serves the users by HTTP until the process or the task is ended. Prints the server's address.
///
/// The server listens on loopback, so only programs on this machine reach it. It asks none of them who they are.
///
/// The host keeps the socket of a port that was chosen: a fresh process goes on with it, and no connection is refused
/// meanwhile.
struct ServeUsers: Feature {
    let users: any UserService
    let listeners: any Listeners
    let logger: Logger

    func launch(_ launch: Launch) async throws -> ExitCode {
        let port = try launch.parse(
            .option("--port", "-p", default: 0, value: "PORT", help: "0 for a free one"))
        guard let port = UInt16(exactly: port) else {
            throw UsageError("'--port' expects a number from 0 to 65535, found \(port)")
        }
        let api = UsersAPI(users: users, logger: logger)
        let name = "serve-users-\(port)"
        // Another server of this process may have another free port.
        let socket =
            port == 0
            ? try HTTPServer.listen(onPort: 0)
            : try listeners.descriptor(named: name) { try HTTPServer.listen(onPort: port) }
        // Without effect while a fresh process takes over.
        defer { listeners.drop(name) }
        let server = try HTTPServer(listener: socket) { await api.answer($0) }
        try launch.console.print("http://127.0.0.1:\(server.port)")
        // A program that reads the address from a pipe needs it now.
        try launch.console.flush()
        listeners.ready()
        await server.run()
        return .success
    }
}
