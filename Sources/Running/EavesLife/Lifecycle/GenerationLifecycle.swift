// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
package import EavesInterface
import EavesLoader
package import EavesRegistry
import EavesSystem
import Synchronization

/// The life cycle of one generation. It calls the functions of the module's object one at a time, each on a thread of
/// its own and within a time limit. While one is late, the next one waits for it within its own limit, and a health check
/// fails at once.
///
/// Safe from any thread.
package final class GenerationLifecycle: Sendable {
    package let module: String
    /// The gate that counts the calls of the generation; `nil` if no container gets its registrations.
    package let gate: CallGate?
    /// The file that the module was loaded from, which is to blame if its start ends the process; `nil` if it has a process
    /// of its own, or is linked in.
    private let file: String?
    private let lifecycle: any Lifecycle
    private let state = Mutex(State())
    /// A lock that is held by the thread that runs one of the functions.
    private let turn = RecursiveLock()
    /// The end of `stop`: set when it has returned, or was given up.
    private let ended = Awaited<Bool>()

    private struct State {
        var isStarted = false
        var isStopped = false
        /// The function that did not return in time, and has not returned since, and its end.
        var hanging: (function: LifecycleFunction, end: Awaited<Bool>)?
        var restores = 0
    }

    package init(
        _ lifecycle: any Lifecycle, of module: String, from file: String? = nil,
        behind gate: CallGate? = nil
    ) {
        self.lifecycle = lifecycle
        self.file = file
        self.gate = gate
        self.module = module
    }

    /// Whether the state goes from one generation to the next.
    package var keepsState: Bool { lifecycle is any StateHandover }

    /// Starts the module on the calling thread, which gets its state back, without a time limit.
    package func start(_ resolver: any Resolver) throws(LifecycleError) {
        do {
            try turn.withLock { try ThreadState.keeping { try firstStart(resolver) } }
        } catch {
            throw .failed(.start, "\(error)")
        }
        state.withLock { $0.isStarted = true }
    }

    /// Starts the module.
    ///
    /// - Parameter around: A function that runs the start, on its thread.
    package func start(
        _ resolver: any Resolver, within limit: Duration,
        _ around: @escaping @Sendable (() throws -> Void) throws -> Void = { try $0() }
    ) throws(LifecycleError) {
        try run(.start, within: limit) { [self] in
            try around { try firstStart(resolver) }
        }
        state.withLock { $0.isStarted = true }
    }

    private func firstStart(_ resolver: any Resolver) throws {
        guard let file else { return try lifecycle.start(resolver) }
        try CrashWatch.firstRun(of: file, .start) { try lifecycle.start(resolver) }
    }

    /// Stops the module, if it runs. Only the first call does; another one waits until the first has returned.
    package func stop(within limit: Duration) throws(LifecycleError) {
        let (isRunning, isFirst) = state.withLock { state in
            defer { if state.isStarted { state.isStopped = true } }
            return (state.isStarted, !state.isStopped)
        }
        guard isRunning else { return }
        guard isFirst else {
            if ended.wait(within: limit) == nil { throw .hangs(.stop, limit) }
            return
        }
        defer { ended.set(true) }
        try run(.stop, within: limit) { [lifecycle] in try lifecycle.stop() }
    }

    package func checkHealth(within limit: Duration) throws(LifecycleError) {
        let isHealthy = try run(.health, within: limit) { [lifecycle] in try lifecycle.isHealthy }
        if !isHealthy { throw .unhealthy }
    }

    /// The state of the module; `nil` if it keeps none.
    package func snapshot(within limit: Duration) throws(LifecycleError) -> [UInt8]? {
        guard let lifecycle = lifecycle as? any StateHandover else { return nil }
        return try run(.snapshot, within: limit) { try lifecycle.snapshot() }
    }

    /// Lets the module take on a state. Without effect if it keeps none.
    ///
    /// - Parameter isOwn: Whether the state is its own one, with what was written too late.
    package func restore(
        _ snapshot: [UInt8], within limit: Duration, isOwn: Bool = false
    ) throws(LifecycleError) {
        guard let lifecycle = lifecycle as? any StateHandover else { return }
        if !isOwn { state.withLock { $0.restores += 1 } }
        try run(.restore, within: limit) { try lifecycle.restore(snapshot) }
    }

    /// The number of states of others that the module was given.
    var restores: Int { state.withLock { $0.restores } }

    /// The warning that the state goes over without calls that do not end; `nil` if a closure has left out none.
    package func warning(of closure: GateClosure) -> Diagnostic? {
        guard let calls = closure.leftOut.first(where: { $0.gate === gate })?.calls else {
            return nil
        }
        let services = calls.services.joined(separator: " and ")
        return Diagnostic(
            "calls of \(services) of '\(module)' have not ended for \(Int(calls.time / .seconds(1))) seconds: the "
                + "state goes over without them, and what they write from now on is lost",
            fix: "let the calls of a service end, such as by a time limit of their own",
            code: .crashed)
    }

    private func run<Result: Sendable>(
        _ function: LifecycleFunction, within limit: Duration,
        _ body: @escaping @Sendable () throws -> Result
    ) throws(LifecycleError) -> Result {
        let begin = ContinuousClock.now
        if let (hanging, end) = state.withLock({ $0.hanging }) {
            // It may only be slow, which a healthy module is not.
            guard function != .health, end.wait(within: limit) != nil else {
                throw .stillHangs(function, hanging)
            }
        }
        let outcome = Awaited<Swift.Result<Result, any Error>>()
        let end = Awaited<Bool>()
        do throws(SystemError) {
            try DetachedThread.start { [self] in
                outcome.set(Swift.Result { try turn.withLock { try body() } })
                state.withLock { if $0.hanging?.end === end { $0.hanging = nil } }
                end.set(true)
            }
        } catch {
            throw .failed(function, "\(error)")
        }
        let first = outcome.wait(within: limit - (.now - begin))
        let found =
            first
            ?? state.withLock { state -> Swift.Result<Result, any Error>? in
                let late = outcome.wait(within: .zero)
                if late == nil { state.hanging = (function, end) }
                return late
            }
        guard let found else { throw .hangs(function, limit) }
        do {
            return try found.get()
        } catch {
            throw .failed(function, "\(error)")
        }
    }
}

package enum LifecycleFunction: String, Sendable {
    case start
    case stop
    case health = "health check"
    case snapshot
    case restore
}

/// A module's work did not begin or end as it should.
package enum LifecycleError: Error, Hashable, Sendable {
    /// A function threw an error with these words.
    case failed(LifecycleFunction, String)
    case hangs(LifecycleFunction, Duration)
    /// A function was not called, because another one has not returned.
    case stillHangs(LifecycleFunction, LifecycleFunction)
    /// The health check said no, and gave no reason.
    case unhealthy
    /// Modules need each other to start. The first one is also the last one.
    case circle([String])
    /// Another thread starts this module, and the start waits for what this thread creates.
    case startWaits(String)
    /// Another thread starts this module, and has not done so in time.
    case startsTooLong(String, Duration)
    /// The host has stopped, and loads no module any more.
    case hostStopped
}

extension LifecycleError: Diagnosable {
    package var words: String { diagnostics.map(\.message).joined(separator: "; ") }

    package var diagnostic: Diagnostic {
        switch self {
        case .failed(let function, let reason):
            Diagnostic(
                "\(function.rawValue) failed: \(reason.indented)",
                fix: "correct what the module reports", code: .badData)
        case .hangs(let function, let limit):
            Diagnostic(
                "\(function.rawValue) did not return within \(limit)",
                fix: "ask its author: the functions of a life cycle must not wait for long",
                code: .badData)
        case .stillHangs(let function, let hanging):
            Diagnostic(
                "\(function.rawValue) is not possible, because \(hanging.rawValue) has not "
                    + "returned", fix: "start the host again", code: .badData)
        case .unhealthy:
            Diagnostic(
                "it is not healthy, and gives no reason",
                fix: "ask its author: 'isHealthy' may throw an error that says why",
                code: .badData)
        case .circle(let modules):
            Diagnostic(
                "modules need each other to start: \(modules.joined(separator: " → "))",
                fix: "let one of them ask for the other's service later than in its start",
                code: .configuration)
        case .startWaits(let module):
            Diagnostic(
                "another thread starts '\(module)', and that start waits for a service "
                    + "which this thread is creating",
                fix: "let the factory, or the start, ask for the other's service later, such "
                    + "as through 'Provider'", code: .configuration)
        case .startsTooLong(let module, let limit):
            Diagnostic(
                "waited \(limit) for '\(module)', which another thread is starting",
                fix: "if that start waits for this thread, ask its resolver instead",
                code: .configuration)
        case .hostStopped:
            Diagnostic(
                "the host has stopped, and loads no module any more",
                fix: "make another host", code: .configuration)
        }
    }
}

/// The order in which a host stops its modules: each before the modules that it uses, directly or through others.
///
/// Modules that do not use each other stop in the reverse order of their starts, and so do modules that use each other
/// in a circle: all of them after the users of the circle, and before what the circle uses.
struct StopOrder {
    /// The modules that each module uses directly, by their ids.
    private var uses: [String: Set<String>] = [:]

    /// Takes the uses from what modules declare that they require.
    ///
    /// A module uses each loaded one that provides a service which it requires: the manifest may have bound the service
    /// to another module than now, whose objects it may still have.
    ///
    /// - Parameter modules: The modules that are loaded.
    init(_ modules: [CatalogEntry]) {
        var provided: [String: [(service: String, module: String)]] = [:]
        for module in modules {
            for service in (module.declaration?.provides ?? []).map(\.service) {
                provided[ServiceName.word(service), default: []].append((service, module.id))
            }
        }
        for module in modules {
            for service in module.declaration?.requires ?? [] {
                for provider in provided[ServiceName.word(service)] ?? []
                where ServiceName.agree(provider.service, service) {
                    add(module.id, uses: provider.module)
                }
            }
        }
    }

    mutating func add(_ user: String, uses provider: String) {
        uses[user, default: []].insert(provider)
    }

    /// Sorts modules.
    ///
    /// - Parameter started: The ids of the modules to stop, in the order of their starts, each once. Modules that are
    ///   used only on the way from one of these to another one need not be among them.
    /// - Returns: The same ids, in the order in which they are to stop.
    func order(of started: [String]) -> [String] {
        let reached = started.map { module in
            NeedsGraph(
                from: Array(uses[module] ?? []), id: { $0 }, needs: { Array(uses[$0] ?? []) }
            ).ids
        }
        // The places of the modules that stop later than each module, and how many have to stop before it.
        var later = Array(repeating: [Int](), count: started.count)
        var pending = Array(repeating: 0, count: started.count)
        for user in started.indices {
            for used in started.indices where used != user {
                guard reached[user].contains(started[used]),
                    !reached[used].contains(started[user])
                else { continue }
                later[user].append(used)
                pending[used] += 1
            }
        }
        var order: [String] = []
        var rest = Array(started.indices)
        // Among the modules that remain, one has no user that is not in a circle with it.
        while let place = rest.lastIndex(where: { pending[$0] == 0 }) {
            let next = rest.remove(at: place)
            order.append(started[next])
            for used in later[next] { pending[used] -= 1 }
        }
        return order
    }
}
