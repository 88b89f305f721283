// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesChild
@_spi(Generated) import EavesInterface
import EavesManifest
import EavesProcess
import EavesSystem
import Glibc
import Synchronization

/// The host's listening sockets, as the process of a module gets them and lets them be kept: those that listen where the
/// module's permissions say, whichever module has made them.
///
/// Safe from any thread.
final class LentListeners: Sendable {
    private let endpoints: [NetworkEndpoint]
    private let process: Int32
    /// The process gets descriptors on its other end.
    private let socket: LocalSocket
    private let work = OrderedWork()
    /// The names under which the process has let the host keep sockets.
    private let kept = Mutex<Set<String>>([])

    /// The largest numbers of names that a process uses, and of sockets under one of them.
    private static let mostNames = 64
    private static let mostSockets = 16

    /// - Parameters:
    ///   - process: A descriptor that names the process. It is duplicated.
    ///   - socket: The host's end.
    init(
        _ permissions: Permissions, of process: Int32, on socket: consuming LocalSocket
    ) throws(SystemError) {
        endpoints = permissions.listen
        self.process = fcntl(process, F_DUPFD_CLOEXEC, 0)
        self.socket = socket
        guard self.process >= 0 else { throw SystemError(.open, "a module's process") }
    }

    deinit { if process >= 0 { close(process) } }

    /// Sends the process copies of the descriptors that are kept under a name.
    ///
    /// - Returns: How many there are; `nil` if none are kept.
    func give(_ name: String, of listeners: any Listeners) async throws -> Int? {
        try await work.result { [self] in
            guard let copies = try copies(named: name, of: listeners) else { return nil }
            defer { for copy in copies { close(copy) } }
            do throws(SystemError) {
                try LocalSocket.send([0], copies, to: socket.descriptor)
            } catch {
                throw ListenersError("the descriptors '\(name)' do not reach the module: \(error)")
            }
            return copies.count
        }
    }

    func keep(_ numbers: [Int32], named name: String, in listeners: any Listeners) async throws {
        try await work.result { [self] in
            let isNew = kept.withLock { $0.count < Self.mostNames || $0.contains(name) }
            guard isNew, (1...Self.mostSockets).contains(numbers.count) else {
                throw ListenersError(
                    "a module in a process of its own keeps no or too many sockets")
            }
            var made: [Int32] = []
            do {
                for number in numbers {
                    let copy = eaves_wall_copy(process, number)
                    guard copy >= 0 else {
                        throw ListenersError(
                            "cannot copy the descriptor '\(name)': \(Errno.current)")
                    }
                    made.append(copy)
                }
                try check(made, name)
                // From here on, they are the host's, unless it keeps others.
                let copies = try listeners.descriptors(named: name) {
                    defer { made = [] }
                    return made
                }
                for copy in copies { close(copy) }
                guard made.isEmpty else {
                    throw ListenersError("others are kept under the name '\(name)' meanwhile")
                }
            } catch {
                for copy in made { close(copy) }
                throw error
            }
            kept.withLock { _ = $0.insert(name) }
        }
    }

    /// Lets the host close the descriptors that it keeps under a name.
    func drop(_ name: String, in listeners: any Listeners) async throws {
        try await work.result { [self] in
            let copies = try copies(named: name, of: listeners) ?? []
            for copy in copies { close(copy) }
            // An empty list has no address that the module may listen at.
            if !copies.isEmpty { listeners.drop(name) }
            kept.withLock { _ = $0.remove(name) }
        }
    }

    private struct NotKept: Error {}

    private func copies(named name: String, of listeners: any Listeners) throws -> [Int32]? {
        do {
            let copies = try listeners.descriptors(named: name) { throw NotKept() }
            do {
                try check(copies, name)
            } catch {
                for copy in copies { close(copy) }
                throw error
            }
            return copies
        } catch is NotKept {
            return nil
        }
    }

    /// Blocks the thread while names are looked up, if it depends on them.
    private func isListed(_ address: NetworkAddress, _ port: UInt16) -> Bool {
        let names = HostNames.shared
        let verdict = endpoints.verdict(on: address, port, names.addresses)
        guard case .unsure(let asked) = verdict else { return verdict == .allowed }
        let hasAsked = Awaited<Bool>()
        names.ask(asked[...]) { hasAsked.set(true) }
        _ = hasAsked.wait()
        return endpoints.verdict(on: address, port, names.addresses) == .allowed
    }

    private func check(_ descriptors: [Int32], _ name: String) throws(ListenersError) {
        for descriptor in descriptors {
            var own = eaves_wall_call()
            guard Broker.option(SO_ACCEPTCONN, of: descriptor) == 1,
                eaves_wall_own_address(descriptor, &own) == 0, let address = NetworkAddress(own),
                isListed(address, own.port)
            else {
                throw ListenersError(
                    "the manifest's 'permissions' do not list the address of '\(name)' under "
                        + "'listen'")
            }
        }
    }
}

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

    func descriptors(named name: String, orMake make: () throws -> [Int32]) throws -> [Int32] {
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
