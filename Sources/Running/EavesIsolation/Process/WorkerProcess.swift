// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesChild
@_spi(Generated) import EavesInterface
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
    private let worker: Worker
    private let started: StartedWorker
    private var program: StartedProgram { started.program }
    private let broker: Broker?
    private let channel: MessageChannel
    /// The reason why the host refused the process; `nil` if its end says enough.
    private let refusal = Shared<String?>(nil)

    /// The time that a process has to end by itself, once its channel has ended. Programs that the module has started end with
    /// it.
    private static let patience = Duration.seconds(2)
    /// The longest pause within a message. A process writes each as fast as the host reads.
    private static let pauseLimit = Duration.seconds(30)

    init(_ started: StartedWorker, of worker: Worker, startLimit: Duration) throws(SystemError) {
        (self.started, self.worker) = (started, worker)
        let (program, request) = (started.program, worker.request)
        let socket = LocalSocket(descriptor: program.takeChannel())
        let listeners: LentListeners?
        do throws(SystemError) {
            listeners = try Self.send(
                request, worker.files.descriptors, to: program, by: socket.descriptor)
            broker = try Broker.start(
                for: program, on: socket.descriptor, request.permissions, within: startLimit,
                started.space, worker.limits, log: worker.observer.log)
            channel = try MessageChannel(
                socket.release(), of: program.handle, passing: started.prints,
                pauseLimit: Self.pauseLimit)
        } catch {
            _ = program.ended(within: Self.patience)
            throw error
        }
        peer = CallPeer(
            of: request.id, on: channel, providing: HostInstances(worker.lent, listeners),
            limit: worker.limits.call, log: worker.observer.log)
    }

    /// Sends the request, with its files and, for a module that may listen, the end of a socket that brings it descriptors.
    ///
    /// - Returns: The host's sockets, as the process may have them; `nil` for a module that may not listen.
    private static func send(
        _ request: WorkerRequest, _ files: [Int32], to program: StartedProgram, by socket: Int32
    ) throws(SystemError) -> LentListeners? {
        guard !request.permissions.listen.isEmpty else {
            try request.send(files, to: socket)
            return nil
        }
        let ends = try LocalSocket.pair()
        // The process gets a copy.
        defer { close(ends.other) }
        let listeners = try LentListeners(
            request.permissions, of: program.handle, on: LocalSocket(descriptor: ends.own))
        try request.send(files + [ends.other], to: socket)
        return listeners
    }

    /// By which `/proc` shows it.
    var number: Int32 { program.process }

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
        let isAsked = worker.hasEnded
        let ended = started.ended(within: Self.patience)
        broker?.end()
        let ending = isAsked ? nil : ended.ending
        return RemoteCallError(
            module: worker.request.id,
            reason: refusal.value.map { .notStarted($0) }
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
        // A copy in memory has no path that another process can read, and a module can name any in its report.
        var originals: [String: String] = [:]
        for (id, file) in zip(worker.request.fileIDs, worker.files.descriptors) {
            originals[id] = PathHandle.ownPath(of: file)
        }
        return report.frames(originals: originals, only: true).first.map { frame in
            // An interface can be the innermost.
            frame.module == worker.request.id
                ? frame.place : "\(frame.place) of '\(frame.module ?? "")'"
        }
    }

    func end() {
        channel.end()
        // This process may end before that one has.
        started.space.remove()
    }

    /// Ends the process at once.
    ///
    /// - Parameter reason: The reason why the host refuses it; `nil` if its end says enough.
    func kill(because reason: String? = nil) {
        refusal.value = refusal.value ?? reason
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

// One process of a module: its start, until it serves, and its work, until it ends.
extension Worker {
    /// Runs one process to its end.
    ///
    /// - Parameter spare: The one that was started already; `nil` for none.
    /// - Returns: The process, if it could be started, and the error of its unanswered calls.
    func serve(
        _ spare: Result<StartedWorker, SystemError>?, _ startLimit: Duration
    ) -> (WorkerProcess?, RemoteCallError) {
        let process: WorkerProcess
        do throws(SystemError) {
            let worker =
                if let spare { try spare.get() } else { try StartedWorker(request.permissions) }
            process = try WorkerProcess(worker, of: self, startLimit: startLimit)
        } catch {
            first.set(.failure(.system(error)))
            let error = RemoteCallError(module: request.id, reason: .notStarted("\(error)"))
            wakeWaiting(.failure(error))
            return (nil, error)
        }
        state.withLock { $0.process = process }
        if hasEnded { process.end() }
        process.peer.callOther(WorkerFunction.begin.rawValue, within: startLimit) { [self] in
            hasBegun(process, $0, startLimit)
        }
        let error = process.receive()
        // Callers that wait have waited for this process.
        wakeWaiting(.failure(error))
        return (process, error)
    }

    /// Takes the worker's first answer, on the thread that receives.
    private func hasBegun(
        _ process: WorkerProcess, _ answer: Result<Message, any Error>, _ limit: Duration
    ) {
        do {
            let size = (try? answer.get().size) ?? 0
            guard size <= WorkerReport.limit else {
                throw FrameError.tooLong(size, limit: WorkerReport.limit)
            }
            let report = try process.peer.reader(of: answer).read(WorkerReport.self)
            guard report.unenforced.isEmpty || request.allowsUnenforced else {
                first.set(.failure(.unenforced(report.unenforced)))
                return process.kill(because: report.unenforced.joined(separator: "; "))
            }
            let starts = state.withLock { $0.isStarted } && report.hasLifecycle
            guard starts else {
                serves(process)
                return first.set(.success(report))
            }
            process.peer.callOther(WorkerFunction.start.rawValue, within: limit) { [self] answer in
                do {
                    _ = try process.peer.reader(of: answer)
                    serves(process)
                } catch {
                    refuse(process, error)
                }
            }
        } catch {
            refuse(process, error)
        }
    }

    private func refuse(_ process: WorkerProcess, _ error: any Error) {
        // If the process has ended, that says more.
        switch (error as? RemoteCallError)?.reason {
        case .failed(_, let description):
            first.set(.failure(.refused(description)))
            process.kill(because: description)
        case .late(let limit):
            first.set(.failure(.late(limit)))
            process.kill(because: "it did not register within \(limit)")
        default:
            process.kill(
                because: error is RemoteCallError ? nil : "its report is damaged: \(error)")
        }
    }

    private func serves(_ process: WorkerProcess) {
        let isAwaited = state.withLock { state in
            guard case .starting = state.phase else { return false }
            (state.phase, state.hasServed) = (.serving(process.peer), true)
            return true
        }
        if isAwaited { wakeWaiting(.success(process.peer)) }
    }

    func wakeWaiting(_ result: Result<CallPeer, any Error>) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for wake in waiting { wake(result) }
    }
}

/// Answers the calls of a module in a worker to its host: to the services that the module declares to require, and no others,
/// to the consoles of its features, and to the sockets that listen where its permissions say.
///
/// Each process of the worker has an object of its own, and all of them have the same ``Lent``.
final class HostInstances: InstanceProvider {
    /// The resolver and the consoles of the host, which all processes of a worker share.
    final class Lent: Sendable {
        fileprivate let required: Set<String>
        let consoles = LentConsoles()
        /// The resolver of the host, once the module's services can be asked for.
        let resolver = Shared<(any Resolver)?>(nil)

        init(_ required: some Sequence<String>) { self.required = Set(required) }
    }

    private let lent: Lent
    private let listeners: LentListeners?

    /// - Parameter listeners: `nil` for a module that may not listen.
    init(_ lent: Lent, _ listeners: LentListeners?) {
        self.lent = lent
        self.listeners = listeners
    }

    func instance(
        of service: String, named name: String?
    ) async throws -> (target: WireTarget, requirements: Int) {
        guard lent.required.contains(service), let known = WireTables.service(service),
            let resolver = lent.resolver.value
        else {
            throw Refusal(
                "the host gives no '\(service)' to a module that does not declare to require it")
        }
        return (try await known.resolve(resolver, name), known.requirements.count)
    }

    func call(_ function: Int, _ arguments: WireReader) async throws -> WireAnswer {
        let known = HostFunction(rawValue: function)
        switch try known.orRefuse("the host gives no function \(function)") {
        case .readLine: return try .value(try await console(arguments).readLine())
        case .write: try await console(arguments).write(try arguments.read(String.self))
        case .warn: try await console(arguments).warn(try arguments.read(String.self))
        case .flush: try await console(arguments).flush()
        case .ready: try kept.ready()
        case .descriptors:
            return try .value(try await sockets.give(try name(arguments), of: kept))
        case .keep:
            let name = try name(arguments)
            try await sockets.keep(try arguments.read([Int32].self), named: name, in: kept)
        case .drop: try await sockets.drop(try name(arguments), in: kept)
        }
        return .nothing
    }

    /// The name of sockets, which the host keeps.
    private func name(_ arguments: WireReader) throws -> String {
        let name = try arguments.read(String.self)
        let count = name.utf8.count
        guard count <= 255 else {
            throw Refusal("the name of sockets has \(count) bytes: expected at most 255")
        }
        return name
    }

    private func console(_ arguments: WireReader) throws -> LentConsole {
        try lent.consoles[try arguments.read(UInt64.self)]
            .orRefuse("the host gives no console to a feature that has ended")
    }

    private var sockets: LentListeners {
        get throws {
            try listeners.orRefuse("the host gives no sockets to a module that may not listen")
        }
    }

    private var kept: any Listeners {
        get throws {
            try lent.resolver.value
                .orRefuse("the host gives no sockets to a module that has not begun")
                .resolve((any Listeners).self)
        }
    }
}

/// The functions of a host itself, which a worker calls as requirements of the instance 0.
enum HostFunction: Int, Sendable {
    /// The functions of a launch's console, whose number they take first.
    case readLine, write, warn, flush
    /// The functions of the host's listening sockets. All but the last take a name first.
    case descriptors, keep, drop, ready
}
