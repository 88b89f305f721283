// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesLife
import EavesRegistry
import EavesSystem
import Synchronization

/// Which modules are being loaded and started, and by which thread.
///
/// Threads that need each other's modules, or one a module and the other one an instance, would wait for ever. So a
/// thread that is about to wait follows the ``WaitGraph``, and does not wait if it leads back to the thread itself.
///
/// Safe from any thread.
package final class LoadBoard: Sendable {
    private struct Load {
        let module: String
        let thread: WaitGraph.Thread
        let node: WaitGraph.Node
        /// Whether the module has registered and is being started. That must not take long.
        var isStarting = false
        let end = Awaited<Bool>()
    }

    /// In the order in which they began.
    private let loads = Mutex<[Load]>([])
    /// How long a thread waits for a module that is being started.
    let patience: Duration

    init(patience: Duration = .seconds(30)) {
        self.patience = patience
    }

    func begin(_ module: String) {
        let load = Load(
            module: module, thread: WaitGraph.current.thread, node: .init(isInstance: false))
        WaitGraph.begin(load.node, by: load.thread)
        loads.withLock { $0.append(load) }
    }

    /// Notes that a module is being started: from now on, others wait for a limited time.
    package func start(_ module: String) {
        loads.withLock { loads in
            guard let index = loads.firstIndex(where: { $0.module == module }) else { return }
            loads[index].isStarting = true
        }
    }

    /// Notes that the loading of a module has ended, well or not.
    package func end(_ module: String) {
        let load = loads.withLock { loads in
            loads.firstIndex { $0.module == module }.map { loads.remove(at: $0) }
        }
        guard let load else { return }
        WaitGraph.end(load.node)
        load.end.set(true)
    }

    package var loading: Set<String> { Set(loads.withLock { $0.map(\.module) }) }

    func isLoading(_ module: String) -> Bool { load(of: module) != nil }

    func isAwaited(_ module: String) -> Bool {
        load(of: module).map { WaitGraph.isAwaited($0.node) } ?? false
    }

    private func load(of module: String) -> Load? {
        loads.withLock { $0.first { $0.module == module } }
    }

    /// Runs something on behalf of another thread, which waits for it.
    func working<Result, Failure: Error>(
        for waiter: WaitGraph.Waiter, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let work = WaitGraph.Node(isInstance: false)
        WaitGraph.begin(work, by: WaitGraph.current.thread)
        // The other thread waits, whatever the graph says.
        _ = WaitGraph.wait(on: work, by: waiter)
        defer {
            WaitGraph.end(work)
            // The thread may have given this one up, and wait for another one.
            WaitGraph.resume(waiter.thread, from: work)
        }
        return try body()
    }

    /// Notes that the calling thread waits for no other one any more, whatever that does.
    func stopWaiting() { WaitGraph.resume(WaitGraph.current.thread) }

    /// Waits until no thread loads or starts a module.
    ///
    /// - Throws: ``LifecycleError/circle(_:)`` or ``LifecycleError/startWaits(_:)`` if the module waits for this thread,
    ///   ``LifecycleError/startsTooLong(_:_:)`` if its start takes too long.
    package func wait(for module: String) throws(LifecycleError) {
        guard let load = load(of: module) else { return }
        let waiter = WaitGraph.current
        if let way = WaitGraph.wait(on: load.node, by: waiter) {
            if way.contains(where: \.isInstance) { throw .startWaits(module) }
            throw .circle(modules(on: way) + [module])
        }
        defer { WaitGraph.resume(waiter.thread) }
        while load.end.wait(within: patience) == nil {
            // Code that hangs before the start is given up by the thread that loads it, if the host stays up.
            let isLate = loads.withLock { loads in
                loads.contains { $0.node === load.node && $0.isStarting }
            }
            if isLate { throw .startsTooLong(module, patience) }
        }
    }

    /// The modules on a way of the graph: each needs the next one.
    private func modules(on way: [WaitGraph.Node]) -> [String] {
        let loads = loads.withLock { $0 }
        return way.flatMap { node in
            let first = loads.first { $0.node === node }
            let thread = first?.thread ?? WaitGraph.creator(of: node)
            let own = loads.filter { $0.thread == thread }
            return own.drop { first != nil && $0.node !== node }.map(\.module)
        }
    }
}
