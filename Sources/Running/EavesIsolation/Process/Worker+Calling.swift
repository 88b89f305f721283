// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import EavesSystem
import Synchronization

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
        return try peer.wait().get().callAndWait(function.rawValue, arguments)
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
        return RemoteHandle(service, named: name, over: HandleRoute(self))
    }

    /// Counts an instance as long as it is in use.
    private final class HandleRoute: CallRoute {
        let worker: Worker

        init(_ worker: Worker) { self.worker = worker }

        deinit { worker.letGo() }

        func peer() async throws -> CallPeer { try await worker.peer() }
        var present: CallPeer? { worker.present }
    }

    fileprivate func letGo() {
        let isLast = state.withLock { state in
            state.handles -= 1
            return state.isRetired && state.handles == 0
        }
        if isLast { end() }
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
