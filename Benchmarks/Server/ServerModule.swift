// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Glibc

/// A server on a local socket. It answers each connection with the generation of the feature `swap` that serves, and
/// with its process. `Benchmarks/compaction` adds `Listening.swift` of the fixture `CountsCalls`.
enum ServerModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("serve") { resolver in
            ServeFeature(
                listeners: try resolver.resolve((any Listeners).self),
                swapped: resolver.provider((any Feature).self, name: "swap"))
        }
    }
}

struct ServeFeature: Feature {
    let listeners: any Listeners
    let swapped: Provider<any Feature>

    /// - Parameter launch: The path of the socket.
    func launch(_ launch: Launch) async throws -> ExitCode {
        let path = launch.arguments[0]
        let socket = try listeners.descriptor(named: "calls") { try listeningSocket(at: path) }
        defer { close(socket) }
        listeners.ready()
        while !Task.isCancelled {
            var source = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&source, 1, 20) > 0 else {
                await Task.yield()
                continue
            }
            let connection = accept(socket, nil, nil)
            if connection >= 0 { try answer(connection) }
        }
        return .success
    }

    private func answer(_ connection: Int32) throws {
        defer { close(connection) }
        var byte: UInt8 = 0
        guard read(connection, &byte, 1) == 1 else { return }
        let text = Array("\(try swapped.get()) \(getpid())\n".utf8)
        _ = write(connection, text, text.count)
    }
}
