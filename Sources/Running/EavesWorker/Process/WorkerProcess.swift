// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesInterface
import EavesJSON
import EavesManifest
import EavesProcess
import EavesSystem
import Glibc
import Synchronization

/// One process of a worker, which its module may share with others.
///
/// The thread that makes it receives, and waits for its end. The other functions are safe from any thread.
final class WorkerProcess: Sendable {
    let peer: CallPeer
    let identifier: Int32
    private let home: any WorkerHome
    private let handle: Int32
    private let channel: MessageChannel
    private let module: String
    private let wishes = Mutex(Wishes())

    /// The end that the host has wished.
    private struct Wishes {
        /// The host has ended the channel.
        var isOver = false
        /// Why it did not want the module there; `nil` if the end says enough.
        var refusal: String?
    }

    /// The end of a module's time in a process.
    struct End {
        /// The error of the calls that the module has not answered.
        let error: RemoteCallError
        /// Whether its own code has ended the process.
        let isOwnMistake: Bool
        /// Whether the code of another module has.
        let isOfOther: Bool
        /// The process, if it has ended with that, and not by the host's wish.
        let home: (any WorkerHome)?
    }

    /// How long it may pause within a message. It writes each as fast as the host reads.
    private static let pauseLimit = Duration.seconds(30)

    /// Gives a process the request for a module.
    ///
    /// - Parameters:
    ///   - limits: How much the module may take.
    ///   - startLimit: The time until the module has registered.
    ///   - log: Takes what the host refuses the process, on any thread.
    init(
        _ entrance: WorkerEntrance, _ request: WorkerRequest, _ files: WorkerFiles,
        lending lent: HostInstances.Lent, limits: IsolationLimits, startLimit: Duration,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) throws(SystemError) {
        home = entrance.home
        handle = entrance.handle
        module = request.id
        identifier = entrance.process
        let listeners: LentListeners?
        do throws(SystemError) {
            do throws(SystemError) {
                listeners = try Self.send(request, files.descriptors, by: entrance)
                if entrance.door == nil {
                    try Self.decide(
                        request, by: entrance, processes: limits.processes, within: startLimit,
                        log: log)
                }
            } catch {
                close(entrance.channel)
                throw error
            }
            channel = try MessageChannel(
                entrance.channel, of: entrance.handle, pauseLimit: Self.pauseLimit)
        } catch {
            entrance.home.leave()
            throw error
        }
        peer = CallPeer(
            of: request.id, on: channel, providing: HostInstances(lent, listeners),
            limit: limits.call, log: log)
    }

    /// Sends the request, with its files and, for a module that may listen, the end of a socket that brings it descriptors.
    ///
    /// - Returns: The host's sockets, as the process may have them; `nil` for a module that may not listen.
    private static func send(
        _ request: WorkerRequest, _ files: [Int32], by entrance: WorkerEntrance
    ) throws(SystemError) -> LentListeners? {
        // The process gets copies.
        var given = entrance.carrying.map { [$0] } ?? []
        defer { for descriptor in given + (entrance.door.map { [$0] } ?? []) { close(descriptor) } }
        var listeners: LentListeners?
        if request.permissions.mayListen {
            let ends = try LocalSocket.pair().descriptors()
            given.insert(ends.other, at: 0)
            listeners = try LentListeners(
                request.permissions, of: entrance.handle, on: LocalSocket(descriptor: ends.own))
        }
        try WorkerRequest.send(request, files + given, to: entrance.door ?? entrance.channel)
        return listeners
    }

    /// Begins to decide about the connections and the children of the process, if it may have any.
    private static func decide(
        _ request: WorkerRequest, by entrance: WorkerEntrance, processes: Int,
        within limit: Duration,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) throws(SystemError) {
        guard request.permissions.needsBroker,
            let listener = BrokerDescriptor.wait(on: entrance.channel, within: limit)
        else { return }
        // The kernel does not say which module of the process has asked.
        let log: @Sendable (LogLevel, String) -> Void = { level, text in
            log(
                level,
                request.worker.map { "it or another module in the worker '\($0)' \(text)" } ?? text)
        }
        try Broker.start(
            listener, of: entrance.handle, request.permissions,
            processes: (leader: entrance.process, limit: processes), log: log)
        BrokerDescriptor.acknowledge(on: entrance.channel)
    }

    /// Receives what the module sends, until its time there has ended. The caller then ends the calls that it has not
    /// answered.
    func receive() -> End {
        var misunderstanding: MessageError?
        do throws(MessageError) {
            try peer.receive { kill() }
        } catch {
            misunderstanding = error
            kill()
        }
        channel.end()
        let (isAsked, refusal) = wishes.withLock { ($0.isOver, $0.refusal) }
        let hadCalls = peer.hasCalls
        if isAsked { home.leave() }
        let ending = isAsked ? nil : home.end()
        let isOfOther = ending?.frame.map { $0.module != module } ?? false
        let error = RemoteCallError(
            module: module,
            reason: refusal.map { .notStarted($0) }
                ?? misunderstanding.map { .misunderstood("\($0)") } ?? ending?.ending.reason
                ?? .stopped,
            frame: ending?.frame.map {
                isOfOther ? "\($0.place) of '\($0.module ?? "")'" : $0.place
            })
        // A process that modules share has not told which of them has called `_exit`, say. One that did nothing has not.
        let isBlamed =
            misunderstanding != nil || !home.isShared || ending?.frame != nil || hadCalls
        return End(
            error: error, isOwnMistake: error.isOwnMistake && isBlamed && !isOfOther,
            isOfOther: isOfOther, home: isAsked ? nil : home)
    }

    /// Asks the process to end, unless other modules are in it.
    func end() {
        wishes.withLock { $0.isOver = true }
        channel.end()
    }

    /// Ends the process at once.
    ///
    /// - Parameter reason: Why the host does not want it; `nil` if its end says enough.
    func kill(because reason: String? = nil) {
        note(reason)
        if handle >= 0 { _ = eaves_pidfd_signal(handle, SIGKILL) }
        channel.end()
    }

    /// Does without a module that has not registered. Others may be in the process.
    func refuse(because reason: String) {
        guard home.isShared else { return kill(because: reason) }
        note(reason)
        end()
    }

    private func note(_ reason: String?) {
        if let reason { wishes.withLock { $0.refusal = $0.refusal ?? reason } }
    }
}

extension ChildEnding {
    fileprivate var reason: RemoteCallError.Reason {
        switch self {
        case .exited(let code): .exited(code: code)
        case .signalled(let signal): .killed(signal: signal)
        }
    }
}

extension WorkerRequest {
    /// Sends the request on a channel that carries nothing yet, and the files that it names.
    ///
    /// - Throws: `SystemError` if there are too many files. A process that does not read its request has ended, and its
    ///   channel shows that.
    static func send(
        _ request: WorkerRequest, _ files: [Int32], to socket: Int32
    ) throws(SystemError) {
        guard files.count <= LocalSocket.mostDescriptors else {
            throw SystemError(.open, "\(files.count) interface modules", .tooManyOpenFiles)
        }
        let text = Array(request.json.text(pretty: false).utf8)
        let head = withUnsafeBytes(of: UInt32(text.count).littleEndian) { Array($0) }
        try? LocalSocket.send(head + text, files, to: socket)
    }

    /// Receives the request, and the descriptors of the files that it names. Blocks the thread.
    ///
    /// - Returns: `nil` if there is none.
    static func receive(from socket: Int32) -> (request: WorkerRequest, files: [Int32])? {
        guard let (first, files) = try? LocalSocket.receive(from: socket, upTo: 4),
            let rest = bytes(4 - first.count, from: socket)
        else { return nil }
        let count = Int((first + rest).littleEndian)
        guard count <= Message.contentLimit, let text = bytes(count, from: socket),
            let request = WorkerRequest(text), files.count == request.descriptorCount
        else { return nil }
        return (request, files)
    }

    private static func bytes(_ count: Int, from socket: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let piece = Pipe.read(socket, count: count - bytes.count) else { continue }
            if piece.isEmpty { return nil }
            bytes += piece
        }
        return bytes
    }
}
