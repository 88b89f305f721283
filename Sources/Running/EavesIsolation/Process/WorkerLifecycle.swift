// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) package import EavesInterface

// SAFETY: its properties are constant, and a `Worker` is safe from any thread.
/// Begins and ends the work of a module in a worker. The last call ends the worker, too.
package class WorkerLifecycle: Lifecycle, @unchecked Sendable {
    fileprivate let worker: Worker
    private let hasOwn: Bool

    /// - Parameter hasOwn: Whether the module has a life cycle itself.
    fileprivate init(_ worker: Worker, hasOwn: Bool) {
        self.worker = worker
        self.hasOwn = hasOwn
    }

    /// The life cycle of a module that has reported what it has.
    package static func of(_ worker: Worker, _ report: WorkerReport) -> any Lifecycle {
        report.keepsState
            ? StatefulWorkerLifecycle(worker, hasOwn: true)
            : WorkerLifecycle(worker, hasOwn: report.hasLifecycle)
    }

    deinit { worker.retire() }

    package func start(_ resolver: any Resolver) throws {
        worker.give(resolver)
        if hasOwn { _ = try worker.call(.start) }
        worker.noteStart()
    }

    /// Instances that are still in use keep the process until they go.
    package func stop() throws {
        defer { worker.retire() }
        if hasOwn { _ = try worker.call(.stop) }
    }

    package var isHealthy: Bool {
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
