// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import EavesProcess
import EavesSystem
import Glibc

/// The host's listening sockets, as a module has them in its worker.
///
/// Safe from any thread.
final class RemoteListeners: Listeners {
    private let host: Shared<CallPeer?>
    /// The socket that brings descriptors of the host; `nil` if the module may not listen.
    private let socket: Int32?
    /// The lock that is held while descriptors are asked for, made or received.
    private let making = RecursiveLock()

    init(_ host: Shared<CallPeer?>, on socket: Int32?) {
        self.host = host
        self.socket = socket
    }

    func descriptors(
        named name: String, orMake make: () throws -> [Int32]
    ) throws -> [Int32] {
        // A module that may not listen is told so by what it makes.
        guard let socket else { return try make() }
        return try making.withLock {
            if let count = try call(.descriptors, name).read(Int?.self) {
                return try receive(count, name, from: socket)
            }
            let made = try make()
            do {
                _ = try call(.keep, name, made)
            } catch {
                for descriptor in made { close(descriptor) }
                throw error
            }
            return made
        }
    }

    func descriptor(named name: String, orMake make: () throws -> Int32) throws -> Int32 {
        try first(named: name, orMake: make)
    }

    func drop(_ name: String) {
        if socket != nil { _ = try? call(.drop, name) }
    }

    func ready() { _ = try? call(.ready) }

    private func receive(_ count: Int, _ name: String, from socket: Int32) throws -> [Int32] {
        let descriptors = try LocalSocket.receive(from: socket, upTo: 1).descriptors
        guard descriptors.count == count else {
            for descriptor in descriptors { close(descriptor) }
            throw ListenersError("the descriptors '\(name)' have not come: too many are open")
        }
        return descriptors
    }

    private func call(
        _ function: HostFunction, _ name: String? = nil, _ made: [Int32]? = nil
    ) throws -> WireReader {
        guard let host = host.value else { throw CancellationError() }
        let arguments = WireWriter()
        if let name { try arguments.write(name) }
        if let made { try arguments.write(made) }
        return try host.callAndWait(function.rawValue, arguments)
    }
}
