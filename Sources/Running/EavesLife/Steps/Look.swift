// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesInterface
import EavesRegistry

/// One look of a live host at the disk, as a plan: which loaded module stands, stops or gets another generation, and
/// which module provides what from now on. It is made of values. Here no module's code runs, and no thread waits.
///
/// ``LivePass`` carries out the steps of ``next(_:knowing:)``, and tells the look what came of each. Meanwhile, other threads
/// may load modules, and so the look decides anew about everything each time that it is asked for steps. If there are
/// none, everything is prepared for the switch.
package struct Look: Sendable {
    /// The manifest and the modules as they are on the disk.
    package let disk: Outlook
    package let policy: LivePolicy
    /// Whether state may be lost that cannot be handed over.
    let discardsState: Bool
    /// Whether files are compared. If not, what is loaded is decided about anew.
    let comparesFiles: Bool

    package internal(set) var changes: [HostChange] = []
    /// The modules that provide what was asked for from now on, by the keys of the capabilities.
    package internal(set) var chosen: [String: String] = [:]
    /// The manifest and the modules that the host goes by after the switch.
    package internal(set) var outlook: Outlook
    /// The transfers that this look wanted, whether or not they are possible.
    package internal(set) var wantedTransfers: Set<StateTransfer.Pair> = []
    private(set) var moduleChanges: [String: ModuleChange] = [:]
    private var hasBegun = false
    /// Whether the states that go over are those right before the switch.
    private var hasLastStates = false

    package init(
        at disk: Outlook, policy: LivePolicy, discardingState: Bool = false,
        comparingFiles comparesFiles: Bool = true
    ) {
        self.disk = disk
        self.policy = policy
        discardsState = discardingState
        self.comparesFiles = comparesFiles
        outlook = disk
    }

    package internal(set) subscript(id: String) -> ModuleChange {
        get { moduleChanges[id] ?? ModuleChange() }
        set { moduleChanges[id] = newValue }
    }

    /// The generations that are on their way, by their modules' ids.
    package var staged: [String: ModuleChange.Staged] { moduleChanges.compactMapValues(\.staged) }
    /// The states that go over with the switch, by the ids of the modules that take them on.
    package var transfers: [String: StateTransfer] { moduleChanges.compactMapValues(\.transfer) }
    /// The loaded modules that stay as they are whatever their files are now.
    package var standing: [String: CatalogEntry] { moduleChanges.compactMapValues(\.stands) }
    /// The ids of the modules that are switched off, in order.
    package var stopping: [String] { moduleChanges.filter(\.value.isStopping).keys.sorted() }
}

/// The things that one look does with one module. They are dropped with the switch: ``ModuleLife`` has everything that
/// later looks have to know.
package struct ModuleChange: Sendable {
    var isCompared = false
    /// It stays as it is, whatever its file is now.
    @Rare var stands: CatalogEntry?
    var isStopping = false
    @Rare var step: Look.Step?
    /// A generation of it has registered.
    @Rare package internal(set) var staged: Staged?
    /// It takes on a state with the switch.
    @Rare package internal(set) var transfer: StateTransfer?
    /// It gets no state although it could: it may be lost.
    var isStateless = false
    /// It cannot be had in this look.
    @Rare var obstacle: ModuleError?

    /// A generation that has registered, and that no caller reaches yet.
    package struct Staged: Sendable {
        package let number: Int
        package let module: ModuleLife.Loaded
        /// Whether no other generation of its module serves.
        let isFirst: Bool
        /// Whether it has started, if it has something to start, and is healthy.
        var isPrepared: Bool

        package init(
            number: Int, module: ModuleLife.Loaded, isFirst: Bool, isPrepared: Bool
        ) {
            self.number = number
            self.module = module
            self.isFirst = isFirst
            self.isPrepared = isPrepared
        }
    }
}

// The steps.
extension Look {
    /// A thing that has to be done before the switch.
    package enum Step: Sendable {
        /// Compare a loaded module with its file. ``compared(_:with:_:knowing:)`` follows.
        case compare(String)
        case wait(for: String)
        /// Refuse a new file of a module without trying it.
        case refuse(CatalogEntry, ModuleError)
        case makeNext(CatalogEntry, over: ModuleLife.Loaded)
        /// Make a generation of the code that served before: what came after it has proved to be bad.
        case goBack(CatalogEntry, to: ModuleLife.Loaded)
        /// Make the first generation of a module that a service is bound to now.
        case makeFirst(CatalogEntry, Outlook)
        /// Let a generation that was made take on its state, start, and tell its health.
        case start(String)
        /// Let a module that is loaded, and that no caller reaches, take on a state.
        case handOver(to: String)
        /// Hold back the calls of the modules whose states go over, and hand over the last of these states.
        case handOverLastStates
    }

    /// The things besides ``Running`` that a look goes by.
    package struct Facts: Sendable {
        /// The services and features that were asked for, each with the module that answers.
        package let served: [Served]
        /// The modules that other threads load or start now.
        let loading: Set<String>
        let now: ContinuousClock.Instant

        package typealias Served = (request: ServiceRequest, module: String)

        package init(
            served: [Served], loading: Set<String>, now: ContinuousClock.Instant = .now
        ) {
            self.served = served
            self.loading = loading
            self.now = now
        }
    }

    /// Decides about everything that is known now.
    ///
    /// - Parameter running: Everything that the host knows. The look notes there what it has found out.
    /// - Returns: The steps to take, in this order; none if the switch can be made.
    package mutating func next(_ running: inout Running, knowing facts: Facts) -> [Step] {
        let steps = steps(&running, facts)
        if steps.isEmpty, !transfers.isEmpty, !hasLastStates {
            hasLastStates = true
            return [.handOverLastStates]
        }
        // Calls go on before any other step.
        hasLastStates = false
        return steps
    }

    private mutating func steps(_ running: inout Running, _ facts: Facts) -> [Step] {
        yieldToOthers(&running)
        if comparesFiles {
            if !hasBegun { forgetOldFailures(&running) }
            hasBegun = true
            let unknown = running.loaded.keys.filter {
                !self[$0].isCompared && self[$0].staged == nil
            }
            guard unknown.isEmpty else { return unknown.sorted().map { .compare($0) } }
        }
        var steps = takeSteps()
        guard steps.isEmpty else { return steps }
        decide(&running, facts)
        steps = takeSteps()
        // A generation that was made may want a state, before it starts.
        return steps.isEmpty ? preparations : steps
    }

    /// The steps that modules wait for. They are given once.
    private mutating func takeSteps() -> [Step] {
        let waiting = moduleChanges.filter { $0.value.step != nil }.keys.sorted()
        return waiting.compactMap { id in
            defer { self[id].step = nil }
            return self[id].step
        }
    }

    private var preparations: [Step] {
        let starts = inOrderOfNeeds().filter { !$0.isPrepared }.map {
            Step.start($0.module.entry.id)
        }
        let transfers = transfers.filter { !$0.value.isPrepared && self[$0.key].staged == nil }
        return starts + transfers.keys.sorted().map { .handOver(to: $0) }
    }

    /// The generations that are on their way, each behind those whose services it requires.
    package func inOrderOfNeeds() -> [ModuleChange.Staged] {
        let staged = staged
        guard staged.count > 1 else { return Array(staged.values) }
        let graph = NeedsGraph(from: staged.keys.sorted().compactMap { staged[$0] }) {
            $0.module.entry.id
        } needs: { one in
            disk.catalog.directNeeds(of: one.module.entry).compactMap { staged[$0.id] }
        }
        return graph.modules
    }
}

// The results of steps.
extension Look {
    /// Takes on a generation that was made.
    ///
    /// - Parameter loaded: The one whose place it takes; `nil` for a module's first one.
    /// - Throws: If state would be lost. The generation is not on its way then.
    package mutating func made(
        _ one: ModuleChange.Staged, over loaded: ModuleLife.Loaded?, _ running: inout Running
    ) throws(ModuleError) {
        let entry = one.module.entry
        if let loaded { try demandTransfer(from: loaded, to: one.module, running) }
        self[entry.id].staged = one
    }

    package mutating func started(_ id: String, _ running: inout Running) {
        guard let one = self[id].staged else { return }
        running.book.advance(one.number, to: .selfChecked)
        self[id].staged?.isPrepared = true
    }

    /// Notes that a new file of a loaded module will not serve as it is.
    package mutating func refuse(
        _ entry: CatalogEntry, _ number: Int, _ error: ModuleError, _ running: inout Running
    ) {
        let id = entry.id
        running.book.refuse(number, because: error.diagnostics)
        self[id].staged = nil
        self[id].transfer = nil
        running[module: id].retreat = nil
        running[module: id].refusal = .init(entry, because: error)
        running[module: id].unfinished = nil
        guard let loaded = running[module: id].loaded else { return }
        self[id].stands = loaded.entry
        if let refused = running.book.record(number), let serving = running.book.serving(id),
            !running.isRepeated(error)
        {
            changes.append(.refused(HostGeneration(refused), serving: HostGeneration(serving)))
        }
    }

    /// Notes that a generation, or a module that is loaded, does not get what it was to get with the switch.
    package mutating func giveUp(_ id: String, _ error: ModuleError, _ running: inout Running) {
        let transfer = self[id].transfer
        if let transfer, transfer.from.module != id, error.reason is HandoverError {
            // Nothing is wrong with the module. Its services may be asked for otherwise.
            running[module: id].untransferred[transfer.from.module] = StateTransfer.Refusal(
                from: transfer.old.entry, to: transfer.to, error: error)
        } else if self[id].staged?.isFirst == true {
            running[module: id].failure = error
        }
        self[id].transfer = nil
        guard let one = self[id].staged else { return }
        guard one.isFirst else { return refuse(one.module.entry, one.number, error, &running) }
        drop(one, because: error, &running)
    }

    /// Drops the first generation of a module before it has served.
    mutating func drop(
        _ one: ModuleChange.Staged, because error: ModuleError, _ running: inout Running
    ) {
        let id = one.module.entry.id
        running.book.refuse(one.number, because: error.diagnostics)
        self[id].staged = nil
        self[id].transfer = nil
    }

    package mutating func cannotHave(_ id: String, because error: ModuleError) {
        self[id].obstacle = error
    }

    /// Notes that a loaded module stays as it is, whatever its file is now.
    package mutating func keeps(_ entry: CatalogEntry) { self[entry.id].stands = entry }

    /// Notes that a state has gone over as far as it is now.
    package mutating func hands(over transfer: StateTransfer) {
        self[transfer.to.id].transfer = transfer
    }

    /// Drops everything that was prepared: the host has stopped.
    package mutating func abandon(_ running: inout Running) {
        for one in staged.values {
            drop(one, because: ModuleError(one.module.entry, LifecycleError.hostStopped), &running)
        }
    }

    /// Drops first generations that other threads have loaded meanwhile.
    private mutating func yieldToOthers(_ running: inout Running) {
        for (id, one) in staged where one.isFirst && running[module: id].isLoaded {
            self[id].staged = nil
            running.book.withdraw(one.number)
        }
    }
}
