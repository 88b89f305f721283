// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CSystem
import EavesInterface
import EavesJSON
import EavesManifest
import EavesProcess
import EavesSystem
import Glibc
import Synchronization

/// One process of a worker: this program, started again.
///
/// The thread that makes it receives, and waits for its end. ``end()`` and ``kill()`` are safe from any thread.
// SAFETY: the child is touched by the thread that has made the process alone; a signal goes by its pidfd.
final class WorkerProcess: @unchecked Sendable {
    let peer: CallPeer
    let identifier: Int32
    private let program: StartedProgram
    private let channel: MessageChannel
    private let module: String
    private let refusal = Mutex<String?>(nil)

    /// How long a process has to end by itself, once its channel has ended.
    private static let patience = Duration.seconds(2)

    /// How long it may pause within a message. It writes each as fast as the host reads.
    private static let pauseLimit = Duration.seconds(30)

    /// Gives a program its request.
    ///
    /// - Parameters:
    ///   - limits: How much the module may take.
    ///   - startLimit: The time until the module has registered.
    ///   - log: Takes what the host refuses the process, on any thread.
    init(
        _ program: StartedProgram, _ request: WorkerRequest, _ files: WorkerFiles,
        lending lent: HostInstances.Lent, limits: IsolationLimits, startLimit: Duration,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) throws(SystemError) {
        self.program = program
        module = request.id
        identifier = program.child.identifier
        let socket = program.takeChannel()
        let listeners: LentListeners?
        do throws(SystemError) {
            listeners = try Self.send(request, files.descriptors, to: program.handle, on: socket)
            try Self.decide(
                request, of: program, processes: limits.processes, on: socket, within: startLimit,
                log: log)
        } catch {
            close(socket)
            throw error
        }
        channel = try MessageChannel(
            socket, of: program.handle, pauseLimit: Self.pauseLimit)
        peer = CallPeer(
            of: request.id, on: channel, providing: HostInstances(lent, listeners),
            limit: limits.call, log: log)
    }

    /// Sends the request, with its files and, for a module that may listen, the end of a socket that brings it descriptors.
    ///
    /// - Returns: The host's sockets, as the process may have them; `nil` for a module that may not listen.
    private static func send(
        _ request: WorkerRequest, _ files: [Int32], to process: Int32, on channel: Int32
    ) throws(SystemError) -> LentListeners? {
        guard request.permissions.mayListen else {
            try WorkerRequest.send(request, files, to: channel)
            return nil
        }
        let ends = try LocalSocket.pair().descriptors()
        // The process gets a copy.
        defer { close(ends.other) }
        let listeners = try LentListeners(
            request.permissions, of: process, on: LocalSocket(descriptor: ends.own))
        try WorkerRequest.send(request, files + [ends.other], to: channel)
        return listeners
    }

    /// Begins to decide about the connections and the children of the process, if it may have any.
    private static func decide(
        _ request: WorkerRequest, of program: StartedProgram, processes: Int,
        on channel: Int32, within limit: Duration,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) throws(SystemError) {
        guard request.permissions.needsBroker,
            let listener = BrokerDescriptor.wait(on: channel, within: limit)
        else { return }
        try Broker.start(
            listener, of: program.handle, request.permissions,
            processes: (leader: program.child.identifier, limit: processes), log: log)
        BrokerDescriptor.acknowledge(on: channel)
    }

    /// Receives what the process sends, until it has ended. The caller then ends the calls that it has not answered.
    ///
    /// - Returns: Their error.
    func receive() -> RemoteCallError {
        var misunderstanding: MessageError?
        do throws(MessageError) {
            try peer.receive { kill() }
        } catch {
            misunderstanding = error
            kill()
        }
        channel.end()
        let ending = ending()
        return RemoteCallError(
            module: module,
            reason: refusal.withLock { $0 }.map { .notStarted($0) }
                ?? misunderstanding.map { .misunderstood("\($0)") } ?? ending.reason,
            frame: frame())
    }

    /// Waits for the end of the process, and ends it if it does not end by itself. Programs that the module has started
    /// end with it.
    private func ending() -> ChildEnding {
        if program.handle >= 0 {
            _ = Pipe.isReadable(
                program.handle, within: PollTime.milliseconds(until: .now + Self.patience))
        } else if let ending = program.child.wait(until: .now + Self.patience) {
            return ending
        }
        // As long as this process has not asked for the ending, the number stays that of the process and its group.
        program.child.signal(SIGKILL)
        return program.child.wait()
    }

    /// Asks the process to end.
    func end() { channel.end() }

    /// Ends the process at once.
    ///
    /// - Parameter reason: Why the host does not want it; `nil` if its end says enough.
    func kill(because reason: String? = nil) {
        if let reason { refusal.withLock { $0 = $0 ?? reason } }
        if program.handle >= 0 { _ = eaves_pidfd_signal(program.handle, SIGKILL) }
        channel.end()
    }

    /// The function in which the process has crashed, as its handlers have reported it.
    private func frame() -> String? {
        var bytes: [UInt8] = []
        while Pipe.isReadable(program.reports, within: 0), bytes.count < Self.reportLimit,
            let piece = Pipe.read(program.reports, count: 16 << 10), !piece.isEmpty
        {
            bytes += piece
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
        return lines.compactMap { CrashFrame($0, originals: [:]) }.first { $0.module != nil }?.place
    }

    /// How much the handlers may report. In bytes.
    private static let reportLimit = 1 << 20
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
