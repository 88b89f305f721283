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
        try await route.peer().call(name, 0, arguments, isLaunch: true)
    }

    func stream(
        _ requirement: Int, _ arguments: WireWriter
    ) async throws -> @Sendable () async throws -> WireReader? {
        let reader = StreamReader(try await route.peer().stream(name, requirement, arguments))
        return { try await reader.stream.next() }
    }

    /// Ends the stream when its last reader is gone.
    private final class StreamReader: Sendable {
        let stream: RemoteStream

        init(_ stream: RemoteStream) {
            self.stream = stream
            stream.begin()
        }

        deinit { stream.leave() }
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

/// A stream that another process makes. It gets no further ahead of its reader than ``window``.
///
/// Safe from any thread. One task at a time reads.
final class RemoteStream: Sendable {
    /// The largest number of elements that are under way, or wait to be read.
    static let window: UInt32 = 32
    /// No further element is sent as long as those take more. In bytes.
    static let byteWindow = 1 << 20

    private let number: UInt64
    private let peer: CallPeer
    private let state = Mutex(State())

    private struct State {
        var elements: [[UInt8]] = []
        var end: Result<Void, any Error>?
        var waiting: CheckedContinuation<Void, Never>?
        /// The number of elements that were read since the other end was asked for more.
        var read: UInt32 = 0
        var readSize = 0
        /// The number of elements that the other end may still send.
        var credit: UInt32 = 0
    }

    init(_ number: UInt64, _ peer: CallPeer) {
        self.number = number
        self.peer = peer
    }

    deinit {
        let rest = state.withLock { $0.elements.reduce(0) { $0 + $1.count + KeptBytes.cost } }
        peer.channel.kept.remove(rest)
    }

    func begin() {
        state.withLock { $0.credit = Self.window }
        peer.ask(Self.window, of: number)
    }

    func add(_ element: [UInt8]) throws(MessageError) {
        guard peer.channel.kept.add(element.count + KeptBytes.cost) else { throw .tooMuchKept }
        let (isDue, waiting) = state.withLock { state in
            guard state.credit > 0 else {
                return (false, nil as CheckedContinuation<Void, Never>?)
            }
            state.credit -= 1
            state.elements.append(element)
            return (true, state.waiting.take())
        }
        if !isDue { throw .unexpected(.element) }
        waiting?.resume()
    }

    func end(_ end: Result<Void, any Error>) {
        let waiting = state.withLock { state in
            if state.end == nil { state.end = end }
            return state.waiting.take()
        }
        waiting?.resume()
    }

    func next() async throws -> WireReader? {
        while true {
            try Task.checkCancellation()
            let (element, end, more) = state.withLock { state in
                guard !state.elements.isEmpty else {
                    return (nil as [UInt8]?, state.end, 0 as UInt32)
                }
                let element = state.elements.removeFirst()
                state.read += 1
                state.readSize += element.count
                guard state.read >= Self.window / 2 || state.readSize >= Self.byteWindow / 2 else {
                    return (element, nil, 0)
                }
                defer { (state.read, state.readSize) = (0, 0) }
                state.credit += state.read
                return (element, nil, state.read)
            }
            if more > 0 { peer.ask(more, of: number) }
            if let element {
                peer.channel.kept.remove(element.count + KeptBytes.cost)
                return try peer.reader(element[...])
            }
            if let end {
                try end.get()
                return nil
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isOver = state.withLock { state in
                        if !state.elements.isEmpty || state.end != nil { return true }
                        state.waiting = continuation
                        return false
                    }
                    if isOver { continuation.resume() } else if Task.isCancelled { wake() }
                }
            } onCancel: {
                wake()
            }
        }
    }

    func leave() { peer.leave(number) }

    private func wake() { state.withLock { $0.waiting.take() }?.resume() }
}
