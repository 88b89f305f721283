// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Glibc

/// A server on a local socket that keeps nothing, and asks for its service with the first call.
enum RelaysCallsModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("relay") { resolver in
            RelayFeature(
                listeners: try resolver.resolve((any Listeners).self), resolver: resolver)
        }
    }
}

/// Accepts connections, and answers each with the build, the number of the service, the process, and the origin of the
/// number. With `s`, the call of the service goes on until the connection has another byte; with `m`, it calls the service
/// once more, and the answer says the same of that.
struct RelayFeature: Feature {
    let listeners: any Listeners
    let resolver: any Resolver

    /// - Parameter launch: The path of the socket.
    func launch(_ launch: Launch) async throws -> ExitCode {
        let path = launch.arguments[0]
        let socket = try listeners.descriptor(named: "relay") { try listeningSocket(at: path) }
        defer { close(socket) }
        listeners.ready()
        try await withThrowingDiscardingTaskGroup { calls in
            while !Task.isCancelled {
                var source = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                guard poll(&source, 1, 20) > 0 else {
                    await Task.yield()
                    continue
                }
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else { continue }
                // A call that has begun ends, whatever is asked of the feature.
                calls.addTask { await Task.detached { await answer(connection) }.value }
            }
        }
        return .success
    }

    private func answer(_ connection: Int32) async {
        defer { close(connection) }
        var byte: UInt8 = 0
        guard read(connection, &byte, 1) == 1 else { return }
        let users = try? await resolver.callAsync((any UserService).self) { service in
            var users = try await service.users()
            if byte == UInt8(ascii: "s") { _ = read(connection, &byte, 1) }
            if byte == UInt8(ascii: "m") {
                users += try await resolver.callAsync((any UserService).self) {
                    try await $0.users()
                }
            }
            return users
        }
        guard let users, !users.isEmpty else { return }
        let words = users.map { user in
            let name = user.name.split(separator: " ")
            return "\(name[0]) \(user.id) \(getpid()) \(name[1])"
        }
        let text = Array((words.joined(separator: " ") + "\n").utf8)
        _ = write(connection, text, text.count)
    }
}
