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

/// A stream that another process makes. A call gets the elements that are ready.
final class RemoteStream: Sendable {
    private let instance: RemoteName
    private let peer: CallPeer
    /// The elements that have come and were not read, each behind the count of its bytes.
    private let rest = Mutex<ArraySlice<UInt8>>([])

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
        if rest.withLock(\.isEmpty) {
            let answer = try await peer.message(instance, 0, WireWriter(), as: .element)
            if answer.kind == .end { return nil }
            guard answer.kind == .elements else { return try peer.reader(answer) }
            rest.withLock { $0 += answer.whole }
        }
        let element = rest.withLock { rest in
            let element = rest.dropFirst(4).prefix(Int(rest.prefix(4).littleEndian))
            rest = rest[element.endIndex...]
            return Array(element)
        }
        return try peer.reader(Message(.answer, 0, element))
    }
}

/// A stream that the other end reads. Its elements are made ahead of the reader until there are enough for one answer, by a
/// task that ends with the last reference to the stream.
actor ServedStream {
    private let element: @Sendable () async throws -> WireWriter?
    private let peer: CallPeer
    /// The small elements that were made, each behind the count of its bytes.
    private var group: [UInt8] = []
    /// The answer behind them: a large element, the end or an error.
    private var last: Message?
    /// The memory that the channel counts for both. In bytes.
    private var size = 0
    /// The task that makes the next element.
    private var task: Task<Void, Never>?

    /// The memory of elements that go together: 64 small ones take it. A larger one is made when it is asked for. In bytes.
    private static let groupSize = 32 << 10

    init(_ element: @escaping @Sendable () async throws -> WireWriter?, of peer: CallPeer) {
        self.element = element
        self.peer = peer
    }

    deinit {
        task?.cancel()
        peer.channel.letGo(size)
    }

    /// Answers a call with the elements that are there, and waits if there is none.
    func answer(to call: UInt64) async throws -> Message {
        if group.isEmpty, last == nil {
            makeNext()
            let task = task
            await withTaskCancellationHandler {
                await task?.value
            } onCancel: {
                task?.cancel()
            }
        }
        var answer = Message(.elements, call, group)
        if group.isEmpty {
            answer = try last.take().orRefuse("a stream gives one element after the other")
            answer.number = call
        }
        group = []
        let rest = min(size, last?.keptSize ?? 0)
        peer.channel.letGo(size - rest)
        size = rest
        if answer.kind == .elements { makeNext() }
        return answer
    }

    private func makeNext() {
        guard task == nil, last == nil, size < Self.groupSize else { return }
        task = Task { [weak self, element, peer] in
            // The element before is sent first, also if making this one keeps the thread.
            await Task.yield()
            do {
                let parts = try await element()?.parts()
                await self?.add(parts.map { Message(.answer, 0, $0, $1) } ?? Message(.end, 0))
            } catch {
                await self?.add(Message(.failure, 0, peer.failureContent(error)))
            }
        }
    }

    private func add(_ next: Message) {
        task = nil
        guard peer.channel.keep(next.keptSize) else {
            let error = Refusal("the elements before were not read, and take too much memory")
            return last = Message(.failure, 0, peer.failureContent(error))
        }
        size += next.keptSize
        guard next.kind == .answer, next.keptSize <= Self.groupSize else { return last = next }
        withUnsafeBytes(of: UInt32(next.size).littleEndian) { group += $0 }
        group += next.whole
        makeNext()
    }
}
