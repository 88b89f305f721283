// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Glibc
import Synchronization

/// A server on a local socket that counts its calls.
final class CountsCallsModule: Module {
    static func register(in registrar: any Registrar) {
        let counter = Counter()
        registrar.lifecycle(counter)
        registrar.registerFeature("count") { resolver in
            CountFeature(listeners: try resolver.resolve((any Listeners).self), counter: counter)
        }
    }
}

/// The state of the module: how many calls there were.
final class Counter: StateHandover {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    func snapshot() -> [UInt8] { Array("\(count.withLock { $0 })".utf8) }

    func restore(_ snapshot: [UInt8]) throws {
        guard let number = Int(String(decoding: snapshot, as: UTF8.self)) else {
            throw UsageError("no number")
        }
        count.withLock { $0 = number }
    }
}

/// Tests exchange this number.
let build = 1

/// Accepts one connection after another. It answers each with the build, a number and the process; `q` ends the
/// feature, `c` crashes it, and `i` lets it ignore `SIGQUIT`.
struct CountFeature: Feature {
    let listeners: any Listeners
    let counter: Counter

    /// - Parameter launch: The path of the socket, and that of a file: if it is there, the feature fails in each
    ///   process but the one whose number the file has.
    func launch(_ launch: Launch) async throws -> ExitCode {
        let path = launch.arguments[0]
        let socket = try listeners.descriptor(named: "count") { try listeningSocket(at: path) }
        defer { close(socket) }
        if isIll(launch) { return ExitCode(3) }
        listeners.ready()
        while !Task.isCancelled {
            var source = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&source, 1, 20) > 0 else {
                await Task.yield()
                continue
            }
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else { continue }
            if answer(connection) == UInt8(ascii: "q") { return ExitCode(7) }
        }
        return .success
    }

    private func isIll(_ launch: Launch) -> Bool {
        guard launch.arguments.count > 1, let healthy = Self.number(in: launch.arguments[1])
        else { return false }
        return healthy != getpid()
    }

    private func answer(_ connection: Int32) -> UInt8 {
        defer { close(connection) }
        var byte: UInt8 = 0
        guard read(connection, &byte, 1) == 1 else { return 0 }
        if byte == UInt8(ascii: "c") { abort() }
        if byte == UInt8(ascii: "i") { signal(SIGQUIT, SIG_IGN) }
        let text = Array("\(build) \(counter.next()) \(getpid())\n".utf8)
        _ = write(connection, text, text.count)
        return byte
    }

    private static func number(in path: String) -> Int32? {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = read(file, &bytes, bytes.count)
        return Int32(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
    }
}
