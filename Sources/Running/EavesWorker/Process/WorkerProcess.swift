// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CSystem
import EavesInterface
import EavesJSON
import EavesManifest
import EavesProcess
import EavesSystem
import Glibc

/// One process of a worker: this program, started again.
///
/// The thread that makes it receives, and waits for its end. ``end()`` and ``kill()`` are safe from any thread.
// SAFETY: the child is touched by the thread that has made the process alone; a signal goes by its pidfd.
final class WorkerProcess: @unchecked Sendable {
    let peer: CallPeer
    let identifier: Int32
    private let child: ChildProcess
    private let channel: MessageChannel
    private let module: String
    /// The read end of the pipe that a crash is reported on.
    private let reports: Int32
    /// Names the process also when its number is another one's.
    private let handle: Int32

    /// How long a process has to end by itself, once its channel has ended.
    private static let patience = Duration.seconds(2)

    /// - Parameters:
    ///   - callLimit: The time that each call has; `nil` for as long as it takes.
    ///   - startLimit: The time until the module has registered.
    ///   - log: Takes what the host refuses the process, on any thread.
    init(
        _ request: WorkerRequest, _ files: WorkerFiles, providing services: any InstanceProvider,
        callLimit: Duration?, startLimit: Duration,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) throws(SystemError) {
        guard let sockets = SocketPair() else { throw SystemError(.open, "a channel") }
        guard let pipe = Pipe() else {
            let error = SystemError(.open, "a pipe")
            close(sockets.ours)
            close(sockets.theirs)
            throw error
        }
        defer {
            close(sockets.theirs)
            close(pipe.writeEnd)
        }
        module = request.id
        do throws(SystemError) {
            let outputs = [Output(STDOUT_FILENO), Output(STDERR_FILENO)]
            defer { for output in outputs { output.close() } }
            let inherited = try WorkerFiles(
                duplicating: outputs.map(\.descriptor) + [sockets.theirs, pipe.writeEnd])
            let streams = (inherited.descriptors + files.descriptors)
                .map { ChildCommand.Stream.descriptor($0) }
            // The copies close with their owner.
            defer { withExtendedLifetime(inherited) {} }
            child = try ChildProcess(
                WorkerProgram.command(request.permissions), [.empty] + streams)
        } catch {
            close(sockets.ours)
            close(pipe.readEnd)
            throw error
        }
        identifier = child.identifier
        reports = pipe.readEnd
        handle = eaves_pidfd_open(child.identifier)
        // A process that does not read its request has ended, and its channel shows that.
        _ = WorkerRequest.send(request, to: sockets.ours)
        do throws(SystemError) {
            do throws(SystemError) {
                try Self.decide(request, handle, on: sockets.ours, within: startLimit, log: log)
            } catch {
                close(sockets.ours)
                throw error
            }
            channel = try MessageChannel(sockets.ours)
        } catch {
            close(pipe.readEnd)
            if handle >= 0 { close(handle) }
            throw error
        }
        peer = CallPeer(of: request.id, on: channel, providing: services, limit: callLimit)
    }

    /// Begins to decide about the connections of the process, if it may have any.
    private static func decide(
        _ request: WorkerRequest, _ process: Int32, on channel: Int32, within limit: Duration,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) throws(SystemError) {
        guard request.permissions.usesNetwork,
            let listener = BrokerDescriptor.wait(on: channel, within: limit)
        else { return }
        try NetworkBroker.start(listener, of: process, request.permissions, log: log)
    }

    /// The host's output, as a worker gets it. It cannot read a terminal there, nor change how the host writes to it or to
    /// a pipe. A file is the host's own.
    private struct Output {
        let descriptor: Int32
        private let isOwn: Bool

        init(_ output: Int32) {
            var status = stat()
            let type = fstat(output, &status) == 0 ? status.st_mode & S_IFMT : 0
            var opened: Int32 = -1
            if type == S_IFCHR || type == S_IFIFO {
                // Does not wait for the reader of a pipe that has none.
                opened = open(
                    PathHandle.ownPath(of: output), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            }
            isOwn = opened >= 0
            descriptor = isOwn ? opened : output
            if isOwn { _ = fcntl(opened, F_SETFL, 0) }
        }

        func close() { if isOwn { Glibc.close(descriptor) } }
    }

    deinit {
        close(reports)
        if handle >= 0 { close(handle) }
    }

    /// Receives what the process sends, until it has ended. The caller then ends the calls that it has not answered.
    ///
    /// - Returns: Their error.
    func receive(log: (LogLevel, String) -> Void) -> RemoteCallError {
        var misunderstanding: MessageError?
        do throws(MessageError) {
            try peer.receive(log: log, isUnresponsive: kill)
        } catch {
            misunderstanding = error
            kill()
        }
        channel.end()
        let ending = child.wait(until: .now + Self.patience) ?? endNow()
        return RemoteCallError(
            module: module,
            reason: misunderstanding.map { .misunderstood("\($0)") } ?? ending.reason,
            frame: frame())
    }

    private func endNow() -> ChildEnding {
        child.signal(SIGKILL)
        return child.wait()
    }

    /// Asks the process to end.
    func end() { channel.end() }

    /// Ends the process at once.
    func kill() {
        if handle >= 0 { _ = eaves_pidfd_signal(handle, SIGKILL) }
        channel.end()
    }

    /// The function in which the process has crashed, as its handlers have reported it.
    private func frame() -> String? {
        var bytes: [UInt8] = []
        while Pipe.isReadable(reports, within: 0), bytes.count < Self.reportLimit,
            let piece = Pipe.read(reports, count: 16 << 10), !piece.isEmpty
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
    /// Sends the request on a channel that carries nothing yet. Returns whether it was sent.
    static func send(_ request: WorkerRequest, to socket: Int32) -> Bool {
        let text = Array(request.json.text(pretty: false).utf8)
        let bytes = withUnsafeBytes(of: UInt32(text.count).littleEndian) { Array($0) } + text
        return (try? LocalSocket.send(bytes, to: socket)) != nil
    }

    /// Receives the request. Blocks the thread.
    ///
    /// - Returns: `nil` if there is none.
    static func receive(from socket: Int32) -> WorkerRequest? {
        guard let head = bytes(4, from: socket) else { return nil }
        let count = Int(head.littleEndian)
        guard count <= Message.contentLimit, let text = bytes(count, from: socket) else {
            return nil
        }
        return WorkerRequest(text)
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
