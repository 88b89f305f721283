// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesInterface
import EavesLoader
import EavesManifest
import EavesRegistry
import EavesSystem

/// One look of a live host at the disk: makes the new generations, decides who provides what from now on, lets the
/// new generations take on the state of the old ones and start, and shows all of it to the container. A generation
/// that cannot be made or started leaves the old one serving.
///
/// While it looks, decides and switches, no module becomes visible, and no module's code runs. While it makes and prepares
/// the new generations, other threads may load modules. Resolving goes on all the time.
struct LivePass {
    let modules: LazyLoader
    let container: Container
    let numbers: GenerationNumbers
    /// The manifest and the modules as they are on the disk.
    let disk: Outlook
    let policy: LivePolicy
    /// Whether state may be lost that cannot be handed over.
    let discardsState: Bool
    /// Lets the store know what is judged.
    let record: @Sendable (Running) -> Void

    /// The modules that are loaded now.
    var outcomes = LoadOutcomes()
    private let memory: Shared<Running>
    var changes: [HostChange] = []

    /// What the host knows. Others may read it at any time.
    var running: Running {
        get { memory.value }
        nonmutating _modify { yield &memory.value }
    }

    /// The generations to make before the look goes on, by their modules' ids.
    private var wanted: [String: Making] = [:]

    /// The generations that are on their way, by their modules' ids.
    var staged: [String: Staged] = [:]
    /// The states that go over with the switch, by the ids of the modules that take them on.
    var transfers: [String: StateTransfer] = [:]
    /// The modules that get no state although they could: it may be lost.
    var stateless: Set<String> = []
    /// The transfers that this look wanted, whether or not they are possible.
    var wantedTransfers: Set<StateTransfer.Pair> = []
    /// The first generations that did not start, by their modules' ids.
    var failures: [String: ModuleError] = [:]
    /// The transfers that are over. Whoever writes to the old object from now on is too late.
    var handed: [StateTransfer] = []
    /// Holds back the calls of the modules whose states go over.
    var closure: GateClosure?
    /// When that began.
    var closed = ContinuousClock.now
    /// The modules that provide what was asked for from now on, by the keys of the capabilities.
    var chosen: [String: String] = [:]
    /// The modules whose start on another thread has to end before this can go on.
    var awaited: Set<String> = []
    /// The modules that cannot be had in this look.
    var unready: [String: ModuleError] = [:]
    /// The loaded modules that stay as they are whatever their files are now.
    var standing: [String: CatalogEntry] = [:]
    /// The loaded modules that are switched off.
    var stopping: [String] = []
    /// The life cycles that nobody needs any more, and what others may still do with their objects.
    var leaving: [(entry: CatalogEntry, GenerationLifecycle, RetiredInstances)] = []
    /// The loaded modules whose files the look has compared; `nil` if it compares none.
    private var looked: Set<String>?

    /// A generation to make.
    enum Making {
        /// The next one of a loaded module.
        case next(CatalogEntry, over: LoadOutcomes.Loaded)
        /// The one that served before, because what came after it has proved to be bad.
        case back(CatalogEntry, to: LoadOutcomes.Loaded)
        /// The first one of a module that a service is bound to now.
        case first(CatalogEntry, Outlook)
    }

    /// A generation that has registered, and that nobody can ask for anything yet.
    struct Staged {
        let number: Int
        let generation: StagedGeneration
        /// Whether no other generation of its module serves.
        let isFirst: Bool
        /// Whether it has started, if it has something to start, and is healthy.
        var isPrepared: Bool
    }

    init(
        _ modules: LazyLoader, _ container: Container, _ numbers: GenerationNumbers,
        memory: Shared<Running>, disk: Outlook, policy: LivePolicy, discardingState: Bool,
        looking isLooking: Bool = true, recording record: @escaping @Sendable (Running) -> Void
    ) {
        self.modules = modules
        self.container = container
        self.numbers = numbers
        self.memory = memory
        self.disk = disk
        self.policy = policy
        discardsState = discardingState
        self.record = record
        looked = isLooking ? [] : nil
    }

    /// Looks and decides, while no module becomes visible, and switches if everything is prepared.
    ///
    /// - Returns: Whether the switch is made. If not, ``prepare()`` has to be called, and then this once more.
    mutating func advance(_ loaded: inout LoadOutcomes) -> Bool {
        outcomes = loaded
        defer { loaded = outcomes }
        guard !outcomes.isStopped else {
            abandon()
            return true
        }
        outcomes.failed.merge(failures) { $1 }
        running.enter(outcomes.loaded, numbers)
        yieldToOthers()
        lookAtLoaded()
        guard wanted.isEmpty else { return false }
        let (outlook, isChosen) = decide()
        guard wanted.isEmpty, awaited.isEmpty, isPrepared else { return false }
        running.forgetTransfers(but: wantedTransfers)
        record(expectingTrials)
        publish(outlook, isChosen)
        return true
    }

    /// Whether a loaded module is switched off.
    func isStopping(_ module: String) -> Bool { stopping.contains(module) }

    /// Makes what is wanted, while other threads may load modules.
    ///
    /// - Returns: Whether anything was.
    mutating func make() -> Bool {
        for (id, making) in wanted.sorted(by: { $0.key < $1.key }) {
            switch making {
            case .next(let entry, let loaded): stage(entry, over: loaded)
            case .back(let entry, let back): retreat(entry, to: back)
            case .first(let entry, let outlook):
                do throws(ModuleError) {
                    try stageFirst(entry, by: outlook)
                } catch {
                    unready[id] = error
                }
            }
        }
        defer { wanted = [:] }
        return !wanted.isEmpty
    }

    /// Wants the first generation of a module, unless the look has tried it already.
    mutating func want(_ entry: CatalogEntry, by outlook: Outlook) throws(ModuleError) {
        if let error = unready[entry.id] ?? outcomes.failed[entry.id] { throw error }
        wanted[entry.id] = .first(entry, outlook)
    }

    /// Drops first generations that other threads have loaded meanwhile.
    private mutating func yieldToOthers() {
        for (id, one) in staged where one.isFirst && outcomes.loaded[id] != nil {
            staged[id] = nil
            running.book.withdraw(one.number)
        }
    }

    // MARK: Files

    /// Compares the loaded modules with their files, each once.
    private mutating func lookAtLoaded() {
        guard let seen = looked else { return }
        if seen.isEmpty { forgetOldFailures() }
        for (id, loaded) in outcomes.loaded.sorted(by: { $0.key < $1.key })
        where !seen.contains(id) && staged[id] == nil {
            looked?.insert(id)
            look(at: id, loaded)
        }
    }

    /// Compares a loaded module with its file.
    private mutating func look(at id: String, _ loaded: LoadOutcomes.Loaded) {
        guard let entry = found(id, loaded.entry), entry.hasFile || !entry.isEnabled else {
            // Deleting a file harms nobody who uses it. Disabling the module takes it away.
            standing[id] = loaded.entry
            running[module: id].refusal = nil
            return
        }
        guard entry.isEnabled else {
            running[module: id].refusal = nil
            stopping.append(id)
            return
        }
        if let back = running[module: id].retreat {
            wanted[id] = .back(entry, to: back.to)
            return
        }
        // The catalog has no status of an empty file, nor of one that it cannot read.
        let status = entry.status ?? (try? FileStatus(path: entry.loadedFile))
        let identity = status.map { FileIdentity($0) }
        let isSameFile = identity == loaded.entry.status.map { FileIdentity($0) }
        if isSameFile, entry.settings == loaded.entry.settings {
            running[module: id].refusal = nil
            // The file is what it was, and a host that starts now would still refuse it.
            if entry.problem != nil { standing[id] = loaded.entry }
            return
        }
        guard discardsState || running[module: id].refusal?.entry != entry else {
            standing[id] = loaded.entry
            return
        }
        if let identity, isUnfinished(entry, identity) {
            standing[id] = loaded.entry
        } else if hasToWait(entry) {
            standing[id] = loaded.entry
        } else if loaded.code == nil {
            keepInterface(id, loaded.entry, entry)
        } else {
            wanted[id] = .next(entry, over: loaded)
        }
    }

    /// A loaded module as the disk has it now. A file that is no module has no id of its own, and is still the new file
    /// of the module that was loaded from there.
    private func found(_ id: String, _ loaded: CatalogEntry) -> CatalogEntry? {
        let entry = disk.catalog.entry(id)
        guard entry?.hasFile != true, entry?.isEnabled != false,
            var other = disk.catalog.entry(CatalogEntry.idGuess(for: loaded.file)),
            other.file == loaded.file, other.note == nil, other.hasFile
        else { return entry }
        other.id = id
        return other
    }

    /// Whether somebody may still be writing a file. One that stays unfinished is refused after a while.
    private mutating func isUnfinished(_ entry: CatalogEntry, _ identity: FileIdentity) -> Bool {
        guard case .binary = entry.problem else {
            running[module: entry.id].unfinished = nil
            return false
        }
        // A file that has changed since the catalog read it may be whole by now: the next look knows. Its identity is
        // looked at last, and says nothing of a file that was empty then: the catalog has no status of that.
        let wholeness = ELFWholeness(of: entry.file)
        let isAsRead =
            entry.status != nil
            && (try? FileStatus(path: entry.file)).map { FileIdentity($0) } == identity
        if isAsRead {
            guard case .unfinished = wholeness else {
                running[module: entry.id].unfinished = nil
                return false
            }
        }
        return running[module: entry.id].isWorthWaiting(
            for: identity, within: policy.unfinishedLimit)
    }

    /// Whether a file was not read because others change it now. Then the next look reads it.
    mutating func isChanging(_ entry: CatalogEntry, _ error: ModuleError) -> Bool {
        guard error.meansChanging, let status = entry.status else { return false }
        return running[module: entry.id].isWorthWaiting(
            for: FileIdentity(status), within: policy.unfinishedLimit)
    }

    mutating func refuse(_ entry: CatalogEntry, _ number: Int, _ error: ModuleError) {
        running.book.refuse(number, because: error.diagnostics)
        if let one = staged.removeValue(forKey: entry.id) { release(one) }
        transfers[entry.id] = nil
        running[module: entry.id].retreat = nil
        running[module: entry.id].refusal = .init(entry, because: error)
        running[module: entry.id].unfinished = nil
        guard let loaded = outcomes.loaded[entry.id] else { return }
        standing[entry.id] = loaded.entry
        if let refused = running.book.record(number), let serving = running.book.serving(entry.id) {
            // The same code may have been tried with other settings.
            loaded.code?.name(serving.number)
            guard !running.isRepeated(error) else { return }
            changes.append(.refused(HostGeneration(refused), serving: HostGeneration(serving)))
        }
    }

    /// Lets others load a module again that the look has claimed to start it.
    func release(_ one: Staged) {
        guard one.isFirst, one.generation.lifecycle != nil else { return }
        modules.loader.board.end(one.generation.entry.id)
    }

    /// An interface module that is loaded cannot be exchanged: other modules hold its types.
    private mutating func keepInterface(
        _ id: String, _ loaded: CatalogEntry, _ entry: CatalogEntry
    ) {
        standing[id] = loaded
        if entry.note == loaded.note { return }
        let error =
            entry.problem == nil
            ? ModuleError(entry, SwapObstacle.interface(id))
            : ModuleError(entry, UnusableModuleError(entry: entry))
        running[module: id].refusal = .init(entry, because: error)
        changes.append(.kept(HostError(error)))
    }

    /// Lets modules that could not be loaded be tried again if their files or the manifest have changed.
    private mutating func forgetOldFailures() {
        for (id, failure) in outcomes.failed where disk.catalog.entry(id) != failure.entry {
            outcomes.failed[id] = nil
        }
    }
}

extension CatalogEntry {
    /// Whether something is where the module's file belongs, also if it is no file or cannot be read.
    fileprivate var hasFile: Bool {
        if case .binary = problem { return problem?.state != .missing }
        return status != nil
    }
}
