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

    var changes: [HostChange] = []

    /// Everything that the host knows. Other threads may read it at any time, and change the modules that they load.
    var running: Running {
        get { modules.loader.running }
        nonmutating _modify { yield &modules.loader.running }
    }

    /// The things that the look does with each module, by the modules' ids.
    private(set) var moduleChanges: [String: ModuleChange] = [:]
    /// The transfers that this look wanted, whether or not they are possible.
    var wantedTransfers: Set<StateTransfer.Pair> = []
    /// The transfers that are over. Whoever writes to the old object from now on is too late.
    var handed: [StateTransfer] = []
    /// Holds back the calls of the modules whose states go over.
    var closure: GateClosure?
    /// When that began.
    var closed = ContinuousClock.now
    /// The modules that provide what was asked for from now on, by the keys of the capabilities.
    var chosen: [String: String] = [:]
    /// The life cycles that nobody needs any more, and what others may still do with their objects.
    var leaving: [(entry: CatalogEntry, GenerationLifecycle, RetiredInstances)] = []
    /// Whether files are compared. If not, what is loaded is decided about anew.
    private let isLooking: Bool

    subscript(id: String) -> ModuleChange {
        get { moduleChanges[id] ?? ModuleChange() }
        set { moduleChanges[id] = newValue }
    }

    /// The generations that are on their way, by their modules' ids.
    var staged: [String: ModuleChange.Staged] { moduleChanges.compactMapValues(\.staged) }
    /// The states that go over with the switch, by the ids of the modules that take them on.
    var transfers: [String: StateTransfer] { moduleChanges.compactMapValues(\.transfer) }
    /// The loaded modules that stay as they are whatever their files are now.
    var standing: [String: CatalogEntry] { moduleChanges.compactMapValues(\.stands) }
    /// The ids of the modules to which something applies, in order.
    func modules(where applies: (ModuleChange) -> Bool) -> [String] {
        moduleChanges.filter { applies($0.value) }.keys.sorted()
    }

    init(
        _ modules: LazyLoader, _ container: Container, _ numbers: GenerationNumbers,
        disk: Outlook, policy: LivePolicy, discardingState: Bool,
        looking isLooking: Bool = true, recording record: @escaping @Sendable (Running) -> Void
    ) {
        self.modules = modules
        self.container = container
        self.numbers = numbers
        self.disk = disk
        self.policy = policy
        discardsState = discardingState
        self.record = record
        self.isLooking = isLooking
    }

    /// Looks and decides, while no module becomes visible, and switches if everything is prepared.
    ///
    /// - Returns: Whether the switch is made. If not, ``prepare()`` has to be called, and then this once more.
    mutating func advance() -> Bool {
        guard !running.isStopped else {
            abandon()
            return true
        }
        running.enter(numbers)
        yieldToOthers()
        if isLooking, moduleChanges.isEmpty { forgetOldFailures() }
        lookAtLoaded()
        guard modules(where: { $0.making != nil }).isEmpty else { return false }
        let (outlook, isChosen) = decide()
        guard isReady else { return false }
        running.forgetTransfers(but: wantedTransfers)
        record(expectingTrials)
        publish(outlook, isChosen)
        return true
    }

    /// Whether nothing has to happen to any module before the switch.
    var isReady: Bool { moduleChanges.values.allSatisfy(\.isReady) }

    /// Makes what is wanted, while other threads may load modules.
    ///
    /// - Returns: Whether anything was.
    mutating func make() -> Bool {
        let wanted = modules { $0.making != nil }
        for id in wanted {
            let making = self[id].making
            self[id].making = nil
            switch making {
            case nil: break
            case .next(let entry, let loaded): stage(entry, over: loaded)
            case .back(let entry, let back): retreat(entry, to: back)
            case .first(let entry, let outlook):
                do throws(ModuleError) {
                    try stageFirst(entry, by: outlook)
                } catch {
                    self[id].obstacle = error
                }
            }
        }
        return !wanted.isEmpty
    }

    /// Wants the first generation of a module, unless the look has tried it already.
    mutating func want(_ entry: CatalogEntry, by outlook: Outlook) throws(ModuleError) {
        if let error = self[entry.id].obstacle ?? running[module: entry.id].failure { throw error }
        self[entry.id].making = .first(entry, outlook)
    }

    /// Drops first generations that other threads have loaded meanwhile.
    private mutating func yieldToOthers() {
        for (id, one) in staged where one.isFirst && running[module: id].loaded != nil {
            self[id].staged = nil
            running.book.withdraw(one.number)
        }
    }

    // MARK: Files

    /// Compares the loaded modules with their files, each once.
    private mutating func lookAtLoaded() {
        guard isLooking else { return }
        for (id, loaded) in running.loaded.sorted(by: { $0.key < $1.key })
        where !self[id].isCompared && self[id].staged == nil {
            self[id].isCompared = true
            look(at: id, loaded)
        }
    }

    /// Compares a loaded module with its file.
    private mutating func look(at id: String, _ loaded: ModuleLife.Loaded) {
        guard let entry = found(id, loaded.entry), entry.hasFile || !entry.isEnabled else {
            // Deleting a file harms nobody who uses it. Disabling the module takes it away.
            self[id].stands = loaded.entry
            running[module: id].refusal = nil
            return
        }
        guard entry.isEnabled else {
            running[module: id].refusal = nil
            self[id].isStopping = true
            return
        }
        if let back = running[module: id].retreat {
            self[id].making = .back(entry, to: back.to)
            return
        }
        // The catalog has no status of an empty file, nor of one that it cannot read.
        let status = entry.status ?? (try? FileStatus(path: entry.loadedFile))
        let identity = status.map { FileIdentity($0) }
        let isSameFile = identity == loaded.entry.status.map { FileIdentity($0) }
        if isSameFile, entry.settings == loaded.entry.settings {
            running[module: id].refusal = nil
            // The file is what it was, and a host that starts now would still refuse it.
            if entry.problem != nil { self[id].stands = loaded.entry }
            return
        }
        guard discardsState || running[module: id].refusal?.entry != entry else {
            self[id].stands = loaded.entry
            return
        }
        if let identity, isUnfinished(entry, identity) {
            self[id].stands = loaded.entry
        } else if hasToWait(entry) {
            self[id].stands = loaded.entry
        } else if loaded.code == nil {
            keepInterface(id, loaded.entry, entry)
        } else {
            self[id].making = .next(entry, over: loaded)
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
        release(entry.id)
        self[entry.id].transfer = nil
        running[module: entry.id].retreat = nil
        running[module: entry.id].refusal = .init(entry, because: error)
        running[module: entry.id].unfinished = nil
        guard let loaded = running[module: entry.id].loaded else { return }
        self[entry.id].stands = loaded.entry
        if let refused = running.book.record(number), let serving = running.book.serving(entry.id) {
            // The same code may have been tried with other settings.
            loaded.code?.name(serving.number)
            guard !running.isRepeated(error) else { return }
            changes.append(.refused(HostGeneration(refused), serving: HostGeneration(serving)))
        }
    }

    /// Lets others load a module again that the look has claimed to start it.
    mutating func release(_ id: String) {
        guard let one = self[id].staged else { return }
        self[id].staged = nil
        if one.isFirst, one.generation.lifecycle != nil { modules.loader.board.end(id) }
    }

    /// An interface module that is loaded cannot be exchanged: other modules hold its types.
    private mutating func keepInterface(
        _ id: String, _ loaded: CatalogEntry, _ entry: CatalogEntry
    ) {
        self[id].stands = loaded
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
        for (id, life) in running.modules {
            guard let failure = life.failure, disk.catalog.entry(id) != failure.entry else {
                continue
            }
            running[module: id].failure = nil
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
