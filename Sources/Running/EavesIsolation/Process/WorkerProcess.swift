// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesChild
import EavesInterface
import EavesManifest
import EavesProcess
import EavesSystem
import Glibc
import Synchronization

/// One process of a worker.
///
/// The thread that makes it receives, and waits for its end. The other functions are safe from any thread.
final class WorkerProcess: Sendable {
    let peer: CallPeer
    private let program: StartedProgram
    private let files: WorkerFiles
    private let channel: MessageChannel
    private let module: String
    private let wishes = Mutex(Wishes())

    /// Whether, and why, the host ended the process.
    private struct Wishes {
        var isOver = false
        /// The reason why it refused the process; `nil` if the end says enough.
        var refusal: String?
    }

    /// The time that a process has to end by itself, once its channel has ended. Programs that the module has started end with
    /// it.
    private static let patience = Duration.seconds(2)
    /// The longest pause within a message. A process writes each as fast as the host reads.
    private static let pauseLimit = Duration.seconds(30)

    init(
        _ program: StartedProgram, _ request: WorkerRequest, _ files: WorkerFiles,
        lending lent: HostInstances.Lent, limits: IsolationLimits, startLimit: Duration,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) throws(SystemError) {
        self.program = program
        self.files = files
        module = request.id
        let socket = program.takeChannel()
        let listeners: LentListeners?
        do throws(SystemError) {
            do throws(SystemError) {
                listeners = try Self.send(request, files.descriptors, to: program, by: socket)
                try Broker.start(
                    for: program, on: socket, request.permissions, within: startLimit,
                    processes: limits.processes, log: log)
            } catch {
                close(socket)
                throw error
            }
            channel = try MessageChannel(socket, of: program.handle, pauseLimit: Self.pauseLimit)
        } catch {
            _ = program.ended(within: Self.patience)
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
        _ request: WorkerRequest, _ files: [Int32], to program: StartedProgram, by socket: Int32
    ) throws(SystemError) -> LentListeners? {
        guard request.permissions.mayListen else {
            try WorkerRequest.send(request, files, to: socket)
            return nil
        }
        let ends = try LocalSocket.pair()
        // The process gets a copy.
        defer { close(ends.other) }
        let listeners = try LentListeners(
            request.permissions, of: program.handle, on: LocalSocket(descriptor: ends.own))
        try WorkerRequest.send(request, files + [ends.other], to: socket)
        return listeners
    }

    /// Receives what the module sends, until its process has ended.
    ///
    /// - Returns: The error of the calls that the module has not answered, which the caller then ends.
    func receive() -> RemoteCallError {
        var misunderstanding: MessageError?
        do throws(MessageError) {
            try peer.receive { kill() }
        } catch {
            misunderstanding = error
            kill()
        }
        channel.end()
        let (isAsked, refusal) = wishes.withLock { ($0.isOver, $0.refusal) }
        let ended = program.ended(within: Self.patience)
        let ending = isAsked ? nil : ended.ending
        return RemoteCallError(
            module: module,
            reason: refusal.map { .notStarted($0) }
                ?? misunderstanding.map { .misunderstood("\($0)") } ?? ending?.reason
                ?? .stopped,
            frame: isAsked ? nil : frame())
    }

    /// The function of a module in which it has crashed, as its handlers have reported it; `nil` for none.
    private func frame() -> String? {
        var report = CrashReport()
        while program.reports >= 0, Pipe.isReadable(program.reports, within: 0) {
            guard report.append(program.readReport()) else { break }
        }
        // A copy in memory has no path that another process can read.
        let originals = files.descriptors.last.map { [module: PathHandle.ownPath(of: $0)] } ?? [:]
        return report.frames(originals: originals).first { $0.module != nil }.map { frame in
            // An interface can be the innermost.
            frame.module == module ? frame.place : "\(frame.place) of '\(frame.module ?? "")'"
        }
    }

    func end() {
        wishes.withLock { $0.isOver = true }
        channel.end()
    }

    /// Ends the process at once.
    ///
    /// - Parameter reason: The reason why the host refuses it; `nil` if its end says enough.
    func kill(because reason: String? = nil) {
        if let reason { wishes.withLock { $0.refusal = $0.refusal ?? reason } }
        if program.handle >= 0 { _ = eaves_pidfd_signal(program.handle, SIGKILL) }
        channel.end()
    }
}

extension ChildEnding {
    fileprivate var reason: RemoteCallError.Reason {
        switch self {
        case .exited(let code): .exited(code: code)
        case .signalled(let signal): .killed(signal: signal)
        case .unknown: .ended
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
        let bytes = (try? Frame.bytes(of: request)) ?? []
        try? LocalSocket.send(bytes, files, to: socket)
    }

    /// Receives the request, and the descriptors of the files that it names. Blocks the thread.
    ///
    /// - Returns: `nil` if there is none.
    static func receive(from socket: Int32) -> (request: WorkerRequest, files: [Int32])? {
        guard let (first, files) = try? LocalSocket.receive(from: socket, upTo: Frame.headSize),
            let content = Frame.read(from: socket, after: first),
            let request = try? Frame.value(WorkerRequest.self, in: content),
            files.count == request.descriptorCount
        else { return nil }
        return (request, files)
    }
}
