// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import EavesManifest
import EavesSystem
import Glibc
import Synchronization

/// A module that runs in a process of its own, as its host sees it. The process is started again when it ends by itself.
///
///     starting → serving → (the process ends) → resting → starting
///         └─────────┴──────────────────────────────┴→ ended
///
/// One thread starts the processes, receives what they send, and waits for their ends.
///
/// Safe from any thread.
final class Worker: CallRoute {
    let request: WorkerRequest
    let files: WorkerFiles
    let lent: HostInstances.Lent
    let observer: WorkerObserver
    let limits: IsolationLimits
    let state: Mutex<State>
    private let ended: EventFlag
    let first = Awaited<Result<WorkerReport, WorkerError>>()

    enum Phase {
        case starting
        case serving(CallPeer)
        case resting(until: ContinuousClock.Instant, after: RemoteCallError)
        case ended
    }

    struct State {
        var phase = Phase.starting
        var process: WorkerProcess?
        var waiting: [@Sendable (Result<CallPeer, any Error>) -> Void] = []
        /// The number of instances of the module that are in use.
        var handles = 0
        /// Whether it ends with the last of them.
        var isRetired = false
        var isStarted = false
        var hasServed = false
        var ends: WorkerEnds
    }

    init(
        _ request: WorkerRequest, _ files: WorkerFiles, limits: IsolationLimits,
        pauses: ClosedRange<Duration>, telling observer: WorkerObserver
    ) throws(SystemError) {
        self.request = request
        self.files = files
        lent = HostInstances.Lent(request.requires)
        self.observer = observer
        self.limits = limits
        state = Mutex(State(ends: WorkerEnds(pauses: pauses)))
        ended = try EventFlag(for: .open, "a worker")
    }

    // MARK: Starting

    /// Starts the process, and blocks the thread until the module has registered there.
    func start(
        within limit: Duration, in spare: SpareWorker? = nil
    ) throws(WorkerError) -> WorkerReport {
        let fitting = spare.flatMap { $0.permissions == request.permissions ? $0 : nil }
        do throws(SystemError) {
            let starting = if let fitting { fitting } else { try SpareWorker(request.permissions) }
            // The thread keeps the worker.
            starting.use { self.run(&$0, startLimit: limit) }
        } catch {
            throw .system(error)
        }
        return try first.wait().get()
    }

    private func run(_ spare: inout Result<StartedWorker, SystemError>?, startLimit: Duration) {
        while true {
            let began = ContinuousClock.now
            let (process, error) = serve(spare.take(), startLimit)
            let now = ContinuousClock.now
            // Calls that begin from now on wait for the next process. The others fail after that, so that one which is
            // tried again at once waits, too.
            let pause = next(after: now - began, error)
            let isStopped = pause == nil && state.withLock { $0.hasServed }
            let endsLaunch = process?.peer.isLaunching ?? false
            // A host whose launch ends with it counts the crash before.
            if error.isOwnMistake, let process {
                observer.noteCrash(
                    error, of: process.number, after: now - began, endsLaunch: endsLaunch)
            }
            process?.peer.end(isStopped ? .stopped : error.reason, frame: error.frame)
            guard let pause else {
                self.first.set(.failure(.died(error)))
                return wakeWaiting(.failure(error))
            }
            observer.tellEnd(error, endsLaunch: endsLaunch)
            if pause > .zero, ended.wait(until: now + pause) { return wakeWaiting(.failure(error)) }
            let goesOn = state.withLock { state in
                if case .ended = state.phase { return false }
                state.phase = .starting
                return true
            }
            if !goesOn { return wakeWaiting(.failure(error)) }
        }
    }

    /// Notes that a process has ended.
    ///
    /// - Returns: The pause until the next one is started; `nil` if none is.
    private func next(after time: Duration, _ error: RemoteCallError) -> Duration? {
        state.withLock { state in
            state.process = nil
            if case .ended = state.phase { return nil }
            guard state.hasServed else {
                state.phase = .ended
                return nil
            }
            let pause = state.ends.note(after: time)
            state.phase = pause > .zero ? .resting(until: .now + pause, after: error) : .starting
            return pause
        }
    }

    // MARK: Ending

    var hasEnded: Bool {
        state.withLock { if case .ended = $0.phase { true } else { false } }
    }

    /// Ends the worker when no instance of the module is in use any more.
    func retire() {
        let isUnused = state.withLock { state in
            state.isRetired = true
            return state.handles == 0
        }
        if isUnused { end() }
    }

    func end() {
        let process = state.withLock { state in
            state.phase = .ended
            return state.process
        }
        ended.note()
        process?.end()
    }
}

/// A worker cannot be started.
enum WorkerError: Error, Hashable, Sendable {
    case system(SystemError)
    /// The process ended before the module had registered.
    case died(RemoteCallError)
    /// The module does not load or register there; the text says why.
    case refused(String)
    /// The system does not take all rights from the process that the module has no permission for.
    case unenforced([String])
    /// The module has not registered within this time.
    case late(Duration)
}

/// The ends of a worker's processes so far, which say when the next one is started. A pure value.
struct WorkerEnds {
    /// The first pause between the ends of a process and its next start, and the longest one. After its first end, it is
    /// started again at once.
    let pauses: ClosedRange<Duration>
    /// The number of ends, without a good time in between.
    private(set) var deaths = 0

    /// A process that has served for this long begins anew with its pauses.
    private static let goodTime = Duration.seconds(60)

    /// Notes that a process has ended.
    ///
    /// - Returns: The pause until the next one is started.
    mutating func note(after time: Duration) -> Duration {
        if time > Self.goodTime { deaths = 0 }
        deaths += 1
        guard deaths > 1 else { return .zero }
        return min(pauses.upperBound, pauses.lowerBound * (1 << min(deaths - 2, 10)))
    }
}

extension RemoteCallError {
    /// Whether the process has ended by what its own code has done. A signal such as `SIGKILL` tells of no mistake: others
    /// may have sent it.
    var isOwnMistake: Bool {
        switch reason {
        case .killed(let signal):
            [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS].contains(signal)
        case .exited, .misunderstood: true
        // Its handlers have reported a crash.
        case .ended: frame != nil
        default: false
        }
    }
}

// Calls of a module in its process: they wait for one that is being started, and know nothing of those that have ended.
extension Worker {
    func peer() async throws -> CallPeer {
        // The usual way makes no continuation.
        if let present { return present }
        return try await withCheckedThrowingContinuation { continuation in
            whenServing { continuation.resume(with: $0) }
        }
    }

    var present: CallPeer? {
        state.withLock { state in
            if case .serving(let peer) = state.phase { peer } else { nil }
        }
    }

    private func whenServing(_ wake: @escaping @Sendable (Result<CallPeer, any Error>) -> Void) {
        let result: Result<CallPeer, any Error>? = state.withLock { state in
            switch state.phase {
            case .serving(let peer): return .success(peer)
            case .starting:
                state.waiting.append(wake)
                return nil
            case .resting(let until, let last):
                let pause = max(.zero, until - .now)
                return .failure(
                    RemoteCallError(
                        module: request.id, reason: .resting(pause, after: last.description)))
            case .ended: return .failure(RemoteCallError(module: request.id, reason: .stopped))
            }
        }
        if let result { wake(result) }
    }

    func call(_ function: WorkerFunction, _ snapshot: [UInt8]? = nil) throws -> WireReader {
        let arguments = WireWriter()
        if let snapshot { try arguments.write(snapshot) }
        let peer = Awaited<Result<CallPeer, any Error>>()
        whenServing { peer.set($0) }
        let present = try peer.wait().get()
        if function == .snapshot { present.channel.limitContents(to: Message.stateLimit) }
        defer { present.channel.limitContents(to: Message.contentLimit) }
        return try present.callAndWait(function.rawValue, arguments)
    }

    /// Registers a factory of proxies for a service of the module.
    ///
    /// - Returns: `false` if calls of the service cannot go to another process.
    func register(
        _ service: String, _ options: RegistrationOptions, in registrar: any Registrar
    ) -> Bool {
        if service == RemoteFeature.service {
            registrar.register(
                (any Feature).self, options,
                factory: { [self] _ in
                    RemoteFeature(
                        handle: handle(of: service, named: options.name),
                        consoles: lent.consoles)
                }, completed: nil)
            return true
        }
        guard let known = WireTables.service(service) else { return false }
        known.register(registrar, options) { [self] in handle(of: service, named: options.name) }
        return true
    }

    private func handle(of service: String, named name: String?) -> RemoteHandle {
        state.withLock { $0.handles += 1 }
        return RemoteHandle(service, named: name, over: self) { [self] in
            let isLast = state.withLock { state in
                state.handles -= 1
                return state.isRetired && state.handles == 0
            }
            if isLast { end() }
        }
    }
}

// SAFETY: its properties are constant, and a `Worker` is safe from any thread.
/// Begins and ends the work of a module in a worker. The last call ends the worker, too.
class WorkerLifecycle: Lifecycle, @unchecked Sendable {
    fileprivate let worker: Worker
    private let hasOwn: Bool

    fileprivate init(_ worker: Worker, hasOwn: Bool) {
        self.worker = worker
        self.hasOwn = hasOwn
    }

    static func of(_ worker: Worker, _ report: WorkerReport) -> any Lifecycle {
        report.keepsState
            ? StatefulWorkerLifecycle(worker, hasOwn: true)
            : WorkerLifecycle(worker, hasOwn: report.hasLifecycle)
    }

    deinit { worker.retire() }

    func start(_ resolver: any Resolver) throws {
        worker.lent.resolver.value = resolver
        if hasOwn { _ = try worker.call(.start) }
        // It begins again in each process that follows.
        worker.state.withLock { $0.isStarted = true }
    }

    /// Instances that are still in use keep the process until they go.
    func stop() throws {
        defer { worker.retire() }
        if hasOwn { _ = try worker.call(.stop) }
    }

    var isHealthy: Bool {
        get throws { hasOwn ? try worker.call(.health).read(Bool.self) : true }
    }
}

// SAFETY: it adds no property.
/// The same for a module whose state goes from one generation to the next.
final class StatefulWorkerLifecycle: WorkerLifecycle, StateHandover, @unchecked Sendable {
    func snapshot() throws -> [UInt8] { try worker.call(.snapshot).read([UInt8].self) }

    func restore(_ snapshot: [UInt8]) throws {
        _ = try worker.call(.restore, snapshot)
    }
}
