// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog

// The results of steps.
extension Look {
    /// Takes on a generation that was made.
    ///
    /// - Parameter loaded: The one whose place it takes; `nil` for a module's first one.
    /// - Returns: The error if state would be lost. The generation is not on its way then.
    package mutating func made(
        _ one: ModuleChange.Staged, over loaded: ModuleLife.Loaded?
    ) -> ModuleError? {
        let id = one.module.entry.id
        if let loaded {
            do throws(ModuleError) {
                try demandTransfer(from: loaded, to: one.module)
            } catch {
                return error
            }
        }
        self[id].course = .made(one, stands: self[id].stands)
        return nil
    }

    package mutating func started(_ id: String) {
        guard case .made(var one, let stands) = self[id].course else { return }
        note(.advanced(one.number, of: id, to: .selfChecked))
        one.isPrepared = true
        self[id].course = .made(one, stands: stands)
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
        note(.file(id, .refused(.init(entry, because: error, again: again))))
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

    /// Decides that a generation, or a module that is loaded, does not get what it was to get with the switch.
    package mutating func giveUp(_ id: String, _ error: ModuleError) {
        giveUp(id, error, again: nil)
    }

    mutating func giveUp(_ id: String, _ error: ModuleError, again: ModuleLife.Again?) {
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

    /// Decides that a loaded module stays as it is, whatever its file is now.
    package mutating func keeps(_ entry: CatalogEntry) { self[entry.id].course = .stands(entry) }

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
