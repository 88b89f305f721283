// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesInterface
package import EavesRegistry

/// One look of a live host at the disk, as a plan: which loaded module stands, stops or gets another generation, and
/// which module provides what from now on. It is made of values. Here no module's code runs, and no thread waits.
///
/// ``LivePass`` carries out the steps of ``next(knowing:)``, and tells the look what came of each. Meanwhile, other threads
/// may load modules, and so the look decides anew about everything each time that it is asked for steps. If there are
/// none, everything is prepared for the switch.
///
/// A look reads what the host knows, and writes nothing there: ``plan(over:_:)`` returns what it has decided as events.
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
    /// The module that takes on a state with the switch. A state goes over alone, so that no module's calls are held back for
    /// the state of another one: the others are left to the next look.
    private var mover: String?
    var hasDeferredServices = false
    /// Whether a module goes back that has a newer file, too.
    var leavesNewerFile = false
    /// The transfers that this look wanted, whether or not they are possible.
    package internal(set) var wantedTransfers: Set<StateTransfer.Pair> = []
    /// The modules that wait for a newer file of an interface, by the interfaces' ids, until that is told.
    var waiting: [String: Set<String>] = [:]
    /// Everything that the host knows, and what the look has decided since.
    private(set) var running = Running()
    private var events: [Running.Event] = []
    private var moduleChanges: [String: ModuleChange] = [:]
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

    /// Runs a part of the plan over what the host knows now.
    ///
    /// - Parameter part: A function of this look, or several.
    /// - Returns: The part's own result, and what it has decided: the caller reports that to the host's memory before
    ///   anything else changes there.
    package mutating func plan<Result>(
        over running: Running, _ part: (inout Look) -> Result
    ) -> (Result, [Running.Event]) {
        self.running = running
        defer { (self.running, events) = (Running(), []) }
        return (part(&self), events)
    }

    /// Decides something that changes what the host knows.
    mutating func note(_ event: Running.Event) {
        running.take(event)
        events.append(event)
    }

    package internal(set) subscript(id: String) -> ModuleChange {
        get { moduleChanges[id] ?? ModuleChange() }
        set { moduleChanges[id] = newValue.isEmpty ? nil : newValue }
    }

    /// The generations that are on their way, by their modules' ids.
    package var staged: [String: ModuleChange.Staged] { moduleChanges.compactMapValues(\.staged) }
    /// The states that go over with the switch, by the ids of the modules that take them on.
    package var transfers: [String: StateTransfer] { moduleChanges.compactMapValues(\.transfer) }
    /// The loaded modules that stay as they are whatever their files are now.
    package var standing: [String: CatalogEntry] { moduleChanges.compactMapValues(\.stands) }
    /// The ids of the modules that are switched off, in order.
    package var stopping: [String] { moduleChanges.filter(\.value.isStopping).keys.sorted() }
    /// Whether the next look is to follow at once: something was left to it.
    package var isPartial: Bool { hasDeferredServices || leavesNewerFile || !deferred.isEmpty }
    private var deferred: [String] { moduleChanges.filter(\.value.isDeferred).map(\.key) }
}

// The steps.
extension Look {
    /// A thing that has to be done before the switch.
    package enum Step: Sendable {
        /// Compare a loaded module with its file. ``compared(_:with:knowing:)`` follows.
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

        package init(served: [Served], loading: Set<String>, now: ContinuousClock.Instant = .now) {
            self.served = served
            self.loading = loading
            self.now = now
        }
    }

    /// Decides about everything that is known now.
    ///
    /// - Returns: The steps to take, in this order; none if the switch can be made.
    package mutating func next(knowing facts: Facts) -> [Step] {
        let steps = steps(facts)
        if steps.isEmpty { tellWaiting() }
        if steps.isEmpty, !transfers.isEmpty, !hasLastStates {
            hasLastStates = true
            return [.handOverLastStates]
        }
        // Calls go on before any other step.
        hasLastStates = false
        return steps
    }

    private mutating func steps(_ facts: Facts) -> [Step] {
        // Other threads have loaded them meanwhile.
        for (id, one) in staged where one.isFirst && running[module: id].isLoaded {
            self[id] = ModuleChange()
            note(.withdrawn(one.number, of: id))
        }
        if releaseMover() {
            for id in deferred { self[id].course = .open }
        }
        if comparesFiles {
            if !hasBegun { forgetOldFailures() }
            hasBegun = true
            let unknown = running.modules.filter {
                $0.value.isLoaded && (self[$0.key].isOpen || self[$0.key].obstacle != nil)
            }
            guard unknown.isEmpty else { return comparisons(of: unknown) }
        }
        var steps = takeSteps()
        guard steps.isEmpty else { return steps }
        decide(facts)
        steps = takeSteps()
        // A generation that was made may want a state, before it starts.
        return steps.isEmpty ? preparations : steps
    }

    /// Those that go back come first: what is bad serves no longer than it must. Interfaces come before the modules that may
    /// wait for them.
    private func comparisons(of modules: [String: ModuleLife]) -> [Step] {
        func rank(_ life: ModuleLife) -> Int {
            life.retreat != nil ? 0 : life.loaded?.isInterface == true ? 1 : 2
        }
        return modules.sorted { (rank($0.value), $0.key) < (rank($1.value), $1.key) }
            .map { .compare($0.key) }
    }

    /// Whether a module may take on a state with this switch: no other one does.
    mutating func mayMoveState(to id: String) -> Bool {
        if mover == nil { mover = id }
        return mover == id
    }

    /// Lets another module take on a state if the one that was to has turned out not to.
    ///
    /// - Returns: Whether it has.
    @discardableResult
    mutating func releaseMover() -> Bool {
        guard let mover, !self[mover].mayMoveState else { return false }
        self.mover = nil
        return true
    }

    /// The steps that modules wait for. They are given once.
    private mutating func takeSteps() -> [Step] {
        moduleChanges.compactMapValues(\.step).sorted { $0.key < $1.key }.map { id, step in
            self[id].course = running[module: id].isLoaded ? .compared : .open
            return step
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
    /// - Parameters:
    ///   - loaded: The one whose place it takes; `nil` for a module's first one.
    ///   - account: The account of the calls of its factories; `nil` if nothing is judged.
    /// - Returns: The error if state would be lost. The generation is not on its way then.
    package mutating func made(
        _ number: Int, _ module: ModuleLife.Loaded, over loaded: ModuleLife.Loaded?,
        counting account: CallAccount?
    ) -> ModuleError? {
        let id = module.entry.id
        if let loaded {
            do throws(ModuleError) {
                try demandTransfer(from: loaded, to: module)
            } catch {
                return error
            }
        }
        let one = ModuleChange.Staged(
            number: number, module: module, isFirst: loaded == nil,
            isPrepared: module.lifecycle == nil, account: account)
        self[id].course = .made(one, stands: self[id].stands)
        return nil
    }

    package mutating func started(_ id: String) {
        guard case .made(var one, let stands) = self[id].course else { return }
        note(.advanced(one.number, of: id, to: .selfChecked))
        one.isPrepared = true
        self[id].course = .made(one, stands: stands)
    }

    /// Decides that a generation, or a module that is loaded, does not get what it was to get with the switch.
    package mutating func giveUp(
        _ id: String, _ error: ModuleError, again: ModuleLife.Again? = nil
    ) {
        let one = self[id].staged
        if let transfer = self[id].transfer, transfer.from.module != id,
            one == nil || error.reason is HandoverError
        {
            // Nothing is wrong with the module. Its services may be asked for otherwise.
            note(
                .untaken(
                    StateTransfer.Refusal(
                        from: transfer.old.entry, to: transfer.to, error: error, again: again)))
        } else if one?.isFirst == true {
            note(.failed(id, error))
        }
        self[id].handing = .none
        guard let one else { return }
        guard one.isFirst else { return refuse(one.module.entry, one.number, error, again: again) }
        drop(one, because: error)
    }

    /// Drops the first generation of a module before it has served.
    mutating func drop(_ one: ModuleChange.Staged, because error: ModuleError) {
        let id = one.module.entry.id
        note(.refusedGeneration(one.number, of: id, because: error))
        self[id] = ModuleChange()
    }

    package mutating func cannotHave(_ id: String, because error: ModuleError) {
        self[id].course = .lacking(error)
    }

    /// Notes that a state has gone over as far as it is now.
    package mutating func hands(over transfer: StateTransfer) {
        self[transfer.to.id].handing = .takes(transfer)
    }

    /// Drops everything that was prepared: the host has stopped.
    package mutating func abandon() {
        for one in staged.values {
            drop(one, because: ModuleError(one.module.entry, LifecycleError.hostStopped))
        }
    }
}

/// The things that one look does with one module. They are dropped with the switch: ``ModuleLife`` has everything that
/// later looks have to know.
package struct ModuleChange: Sendable {
    var course = Course.open
    var handing = Handing.none

    package indirect enum Course: Sendable {
        /// The look has not decided about it.
        case open
        /// It was compared with its file, and goes by that.
        case compared
        /// It stays as it is, whatever its file is now.
        case stands(CatalogEntry)
        /// It stays as it is until the state of another module has gone over.
        case deferred(CatalogEntry)
        case stops
        /// A step is to be taken for it.
        case wants(Look.Step)
        /// A generation of it has registered. If it goes back, it stands as this entry, whatever its file is now.
        case made(Staged, stands: CatalogEntry?)
        /// This look does without it.
        case lacking(ModuleError)
    }

    package indirect enum Handing: Sendable {
        case none
        /// It takes on a state with the switch.
        case takes(StateTransfer)
        /// It gets no state of this module although it could: that may be lost.
        case nothing(of: String)
    }

    /// A generation that has registered, and that no caller reaches yet.
    package struct Staged: Sendable {
        package let number: Int
        package let module: ModuleLife.Loaded
        /// Whether no other generation of its module serves.
        let isFirst: Bool
        /// Whether it has started, if it has something to start, and is healthy.
        var isPrepared: Bool
        /// The account of the calls of its factories; `nil` if nothing is judged.
        let account: CallAccount?
    }
}

extension ModuleChange {
    package var staged: Staged? { if case .made(let one, _) = course { one } else { nil } }
    package var transfer: StateTransfer? {
        if case .takes(let transfer) = handing { transfer } else { nil }
    }

    var stands: CatalogEntry? {
        switch course {
        case .stands(let entry), .deferred(let entry): entry
        case .made(_, let entry): entry
        default: nil
        }
    }

    var step: Look.Step? { if case .wants(let step) = course { step } else { nil } }
    var obstacle: ModuleError? { if case .lacking(let error) = course { error } else { nil } }
    var isStopping: Bool { if case .stops = course { true } else { false } }
    /// The module whose state is lost.
    var lost: String? { if case .nothing(let module) = handing { module } else { nil } }
    var isOpen: Bool { if case .open = course { true } else { false } }

    var isDeferred: Bool { if case .deferred = course { true } else { false } }

    /// Whether it takes on a state, or may still turn out to.
    var mayMoveState: Bool {
        step != nil || transfer != nil || staged.map { $0.isFirst && lost == nil } ?? false
    }

    var isEmpty: Bool { if case .none = handing { isOpen } else { false } }
}
