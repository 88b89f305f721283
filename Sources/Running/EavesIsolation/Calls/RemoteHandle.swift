// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import EavesSystem
import Synchronization

/// Leads to the other end of a channel.
protocol CallRoute: Sendable {
    /// The end of the channel on this side. Waits while there is none, but will be one.
    func peer() async throws -> CallPeer

    /// The end of the channel as it is; `nil` for none.
    var present: CallPeer? { get }
}

/// Leads from a worker to its host, whose end of the channel is there from the beginning.
extension Shared: CallRoute where Value == CallPeer? {
    var present: CallPeer? { value }

    func peer() async throws -> CallPeer {
        guard let value else { throw CancellationError() }
        return value
    }
}

/// An instance in another process, which generated code calls. The other process creates it when it is first called, and
/// anew if it was started again meanwhile.
final class RemoteHandle: RemoteInstance {
    private static let last = Atomic<UInt64>(0)

    private let name: RemoteName
    private let route: any CallRoute
    private let ended: @Sendable () -> Void

    /// - Parameter ended: A function that is called when the instance is not in use any more.
    init(
        _ service: String, named name: String?, over route: any CallRoute,
        ended: @escaping @Sendable () -> Void = {}
    ) {
        let number = Self.last.add(1, ordering: .relaxed).newValue
        self.name = RemoteName(number: number, service: service, name: name)
        self.route = route
        self.ended = ended
    }

    deinit {
        route.present?.forget(name.number)
        ended()
    }

    func call(_ requirement: Int, _ arguments: WireWriter) async throws -> WireReader {
        try await route.peer().call(name, requirement, arguments)
    }

    func launch(_ arguments: WireWriter) async throws -> WireReader {
        try await route.peer().call(name, 0, arguments, as: .launch)
    }

    func stream(
        _ requirement: Int, _ arguments: WireWriter
    ) async throws -> @Sendable () async throws -> WireReader? {
        let stream = try await RemoteStream(name, requirement, arguments, of: route.peer())
        return { try await stream.next() }
    }
}

/// An instance at the other end of a channel, and what it is an instance of.
struct RemoteName: Sendable {
    let number: UInt64
    /// The service's qualified name; `nil` for the instance that both ends know without one.
    let service: String?
    let name: String?

    /// The instance by which one end speaks with the other itself.
    static let other = RemoteName(number: 0, service: nil, name: nil)

    var isNamed: Bool { service != nil }

    var content: [UInt8] {
        let names = [service ?? ""] + [name].compactMap(\.self)
        return Array(names.joined(separator: "\0").utf8)
    }
}

extension RemoteName {
    /// - Returns: `nil` if the content is not one that ``content`` makes.
    init?(_ number: UInt64, _ content: [UInt8]) {
        let parts = content.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard let service = parts.first.flatMap({ String(validating: $0, as: UTF8.self) }),
            !service.isEmpty
        else { return nil }
        self.number = number
        self.service = service
        name = parts.count == 2 ? String(decoding: parts[1], as: UTF8.self) : nil
    }
}

/// A stream that another process makes: each element when it is asked for.
final class RemoteStream: Sendable {
    private let instance: RemoteName
    private let peer: CallPeer

    /// The number of the instance that is the stream with which a call was answered. No instance of a service has such a number.
    static func instance(of call: UInt64) -> UInt64 { call | 1 << 63 }

    init(
        _ instance: RemoteName, _ requirement: Int, _ arguments: WireWriter, of peer: CallPeer
    ) async throws {
        let answer = try await peer.message(instance, requirement, arguments)
        guard answer.kind == .stream else {
            throw peer.error(.misunderstood("the answer is a \(answer.kind), and no stream"))
        }
        self.instance = RemoteName(
            number: Self.instance(of: answer.number), service: nil, name: nil)
        self.peer = peer
    }

    deinit { peer.channel.send(Message(.close, instance.number)) }

    func next() async throws -> WireReader? {
        let answer = try await peer.message(instance, 0, WireWriter(), as: .element)
        return answer.kind == .end ? nil : try peer.reader(answer)
    }
}
