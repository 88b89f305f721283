// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
import EavesELF
import EavesManifest
import EavesSystem

/// The file of a loaded module, as one look has found it on the disk.
package struct FoundFile: Sendable {
    /// The module with this file; `nil` if the disk has none.
    let entry: CatalogEntry?
    let identity: FileIdentity?
    /// Whether it cannot be read whole, and may still become so.
    let isIncomplete: Bool
}

// How a look compares a loaded module with its file.
extension Look {
    /// Decides what becomes of a loaded module.
    package mutating func compared(_ id: String, with file: FoundFile, knowing facts: Facts) {
        guard let serving = running[module: id].serving else { return }
        let loaded = serving.module
        self[id].course = .compared
        if !file.isIncomplete, running[module: id].isUnfinished { note(.file(id, .taken)) }
        guard let entry = file.entry, entry.hasFile || !entry.isEnabled else {
            // Deleting a file does not affect those who use the module. Disabling the module takes it away.
            settle(id)
            return keeps(loaded.entry)
        }
        guard entry.isEnabled else {
            settle(id)
            self[id].course = .stops
            return
        }
        if entry.file == loaded.entry.file, entry.rival != loaded.entry.rival {
            note(.rival(entry))
            if let rival = entry.rivalEntry {
                changes.append(.kept(HostError(UnusableModuleError(entry: rival))))
            }
        }
        if case .goingBack(let back) = serving.file, let good = back.to {
            if !loaded.entry.isSameFile(as: entry) { leavesNewerFile = true }
            return takeStep(.goBack(entry, to: good), over: loaded)
        }
        let isSameFile = file.identity == loaded.entry.status.map { FileIdentity($0) }
        let isSame =
            isSameFile && entry.settings == loaded.entry.settings
            && entry.hasSamePlace(as: loaded.entry)
        if isSame, entry.seal == loaded.entry.seal {
            settle(id)
            // The same last good file may take the place of another one that is kept out, for another reason.
            if entry.standInWarning != loaded.entry.standInWarning { note(.touched(entry)) }
            // The file is what it was, and a host that starts now would still refuse it.
            // That goes for what callers reach, or its types. Else the catalog refuses what hosts would not load now for all
            // that may ask for it later, although its code is in memory.
            if entry.problem != nil,
                loaded.isInterface || running.hasShare(id)
                    || facts.served.contains(where: { $0.module == id })
            {
                keeps(loaded.entry)
            }
            return
        }
        let isRefused = running[module: id].refusal?.error.concerns(entry) == true
        // A file that waits is looked at more closely once its waiting is over.
        if isRefused && !discardsState || hasToWait(entry, for: serving.trial)
            || file.isIncomplete && isWorthWaiting(for: file.identity, of: id, at: facts.now)
        {
            keeps(loaded.entry)
        } else if isSame || loaded.isInterface && entry.seal != nil {
            // Its signature is checked, again or first: a refusal is an obstacle, and the code serves on.
            self[id].course = .wants(.makeNext(entry, over: loaded))
        } else if loaded.isInterface {
            keepInterface(loaded.entry, entry)
        } else if let error = obstacle(to: entry, facts) {
            self[id].course = .wants(.refuse(entry, ModuleError(entry, error)))
        } else {
            takeStep(.makeNext(entry, over: loaded), over: loaded)
        }
    }

    /// Decides that a loaded module stays as it is, whatever its file is now.
    package mutating func keeps(_ entry: CatalogEntry) { self[entry.id].course = .stands(entry) }

    /// Decides that a loaded module stays as it is although a host that starts now would refuse it, and tells that.
    package mutating func keeps(_ loaded: CatalogEntry, because error: ModuleError) {
        keeps(loaded)
        note(.file(loaded.id, .refused(.init(error: error))))
        changes.append(.kept(HostError(error)))
    }

    /// Decides that a new file of a loaded module will not serve as it is.
    ///
    /// - Parameter again: When it is tried again by itself; `nil` if that is not before something has changed.
    package mutating func refuse(
        _ entry: CatalogEntry, _ number: Int, _ error: ModuleError, again: ModuleLife.Again? = nil
    ) {
        let (id, error) = (entry.id, running.explained(error))
        note(.refusedGeneration(number, of: id, because: error))
        self[id] = ModuleChange()
        guard let loaded = running[module: id].loaded else { return note(.failed(id, error)) }
        note(.file(id, .refused(.init(error: error, again: again))))
        self[id].course = .stands(loaded.entry)
        let book = running[module: id].book
        if let refused = book.record(number), let serving = book.serving,
            !running.isRepeated(error), !waits(error)
        {
            changes.append(.refused(HostGeneration(refused), serving: HostGeneration(serving)))
        }
    }

    /// Leaves it to the message about an interface that a module waits for a fresh process with it.
    ///
    /// - Returns: Whether the module does.
    mutating func waits(_ error: ModuleError?) -> Bool {
        guard let error, let interface = error.awaitedInterface else { return false }
        waiting[interface, default: []].insert(error.id)
        return true
    }

    /// Tells of each interface that a fresh process alone can take on, and of the modules that wait for it, in one message.
    mutating func tellWaiting() {
        for (id, modules) in waiting.sorted(by: { $0.key < $1.key }) {
            guard let entry = running[module: id].refusal?.entry else { continue }
            let obstacle = SwapObstacle.interface(id, waiting: modules.sorted())
            changes.append(.kept(HostError(ModuleError(entry, obstacle))))
        }
        waiting = [:]
    }

    /// Wants a step that exchanges a module, unless the state of another module goes over with this switch.
    private mutating func takeStep(_ step: Step, over loaded: ModuleLife.Loaded) {
        let entry = loaded.entry
        let mayMove = !loaded.keepsState || mayMoveState(to: entry.id)
        self[entry.id].course = mayMove ? .wants(step) : .deferred(entry)
    }

    /// Forgets that the module's file was refused: it is as the host has it, or does not count. If it is an interface, the
    /// modules that waited for it are tried again.
    private mutating func settle(_ id: String) {
        guard case .refused? = running[module: id].serving?.file else { return }
        note(.file(id, .taken))
        for (other, life) in running.modules {
            if life.refusal?.error.awaitedInterface == id { note(.file(other, .taken)) }
            if life.failure?.awaitedInterface == id { note(.mended(other)) }
        }
    }

    /// Whether another process may still be writing a file. One that stays unfinished is refused after a while.
    private mutating func isWorthWaiting(
        for identity: FileIdentity?, of id: String, at now: ContinuousClock.Instant
    ) -> Bool {
        guard let identity, let known = running[module: id].serving?.file else { return false }
        // A file that grows gets more time with each piece, and one that stays as it is does not.
        if case .unfinished(identity, let since) = known {
            return now - since < policy.unfinishedLimit
        }
        note(.file(id, .unfinished(identity, since: now)))
        return true
    }

    /// Whether a newer file of a module has to wait until the one before has been judged.
    private mutating func hasToWait(_ entry: CatalogEntry, for judged: TrialCase?) -> Bool {
        guard disk.manifest.probation.isOneAtATime, let judged,
            judged.entry.status != entry.status
        else { return false }
        if case .waiting(entry)? = running[module: entry.id].serving?.file { return true }
        note(.file(entry.id, .waiting(entry)))
        changes.append(.kept(HostError(ModuleError(entry, ProbationObstacle.file(entry.id)))))
        return true
    }

    /// An interface module that is loaded cannot be exchanged: other modules hold its types.
    package mutating func keepInterface(_ loaded: CatalogEntry, _ entry: CatalogEntry) {
        if entry.note == loaded.note {
            keeps(loaded)
            settle(loaded.id)
            // Its signature was checked.
            if entry.seal != nil { note(.touched(entry)) }
            return
        }
        if entry.problem != nil {
            return keeps(loaded, because: ModuleError(entry, UnusableModuleError(entry: entry)))
        }
        keeps(loaded)
        let error = ModuleError(entry, SwapObstacle.interface(loaded.id))
        note(.file(loaded.id, .refused(.init(error: error))))
        waiting[loaded.id] = []
    }

    /// The reason why a new file of a module is not even tried; `nil` if there is none.
    private func obstacle(to entry: CatalogEntry, _ facts: Facts) -> (any Error)? {
        // A file that is not a module declares nothing, and that is not what is wrong with it.
        guard entry.problem == nil else { return UnusableModuleError(entry: entry) }
        if let obstacle = running[module: entry.id].book.obstacle(to: entry.id) { return obstacle }
        // The services and features that it answers for, and that would have no provider any more.
        let lost = facts.served.filter { $0.module == entry.id }.map { Capability($0.request) }
            .filter { !entry.declares($0) && (try? disk.catalog.provider(of: $0)) == nil }
            .map(\.description)
        return lost.isEmpty ? nil : SwapObstacle.takesAway(entry.id, lost)
    }

    /// Decides whether a file that was not read, because other processes change it now, is left to the next look.
    ///
    /// - Returns: `false` if the error says something else, or has said that for too long.
    package mutating func isChanging(_ entry: CatalogEntry, _ error: ModuleError) -> Bool {
        let identity = entry.status.map { FileIdentity($0) }
        guard error.meansChanging, isWorthWaiting(for: identity, of: entry.id, at: .now) else {
            return false
        }
        if let loaded = running[module: entry.id].loaded { keeps(loaded.entry) }
        return true
    }

    /// Lets modules that could not be loaded be tried again if their files or the manifest have changed, and those wait
    /// for a fresh process that were refused for what another module's file has no longer.
    mutating func forgetOldFailures() {
        for (id, life) in running.modules {
            if let failure = life.failure {
                let renewed = failure.renewed(by: disk)
                if !failure.concerns(disk.catalog.entry(id)) {
                    note(.mended(id))
                } else if renewed.freshProcess != failure.freshProcess {
                    note(.failed(id, renewed))
                }
            }
            guard let refusal = life.refusal else { continue }
            let renewed = refusal.error.renewed(by: disk)
            guard renewed.freshProcess != refusal.error.freshProcess else { continue }
            note(.file(id, .refused(.init(error: renewed, again: refusal.again))))
            changes.append(.kept(HostError(renewed)))
        }
    }
}

extension FoundFile {
    /// Looks at the file of a loaded module, which the catalog has read a moment ago.
    package init(of id: String, in catalog: Catalog) {
        entry = catalog.entry(id)
        // The catalog has no status of an empty file, nor of one that it cannot read.
        let status = entry.flatMap { $0.status ?? (try? FileStatus(path: $0.loadedFile)) }
        identity = status.map { FileIdentity($0) }
        guard let entry, case .binary = entry.problem else {
            isIncomplete = false
            return
        }
        // A file that has changed since the catalog read it may be whole by now: the next look knows. Its identity is
        // looked at last, and says nothing of a file that was empty then: the catalog has no status of that.
        let wholeness = ELFWholeness(of: entry.file)
        let isAsRead =
            entry.status != nil
            && (try? FileStatus(path: entry.file)).map { FileIdentity($0) } == identity
        if case .unfinished = wholeness { isIncomplete = true } else { isIncomplete = !isAsRead }
    }
}

extension CatalogEntry {
    func declares(_ capability: Capability) -> Bool {
        declaration?.declares(capability) == true
    }

    /// Whether it is about the same file as another entry of the module, with the same settings.
    package func isSameFile(as other: CatalogEntry) -> Bool {
        own.status == other.own.status && settings == other.settings
    }

    /// Whether something is where the module's file belongs, also if that is not a file or cannot be read.
    fileprivate var hasFile: Bool {
        if case .binary = problem { return problem?.state != .missing }
        return status != nil
    }
}
