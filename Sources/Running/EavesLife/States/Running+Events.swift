// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
package import EavesManifest
package import EavesRegistry
package import EavesSystem

// The events: everything that performers report, and what it changes in the lives; loading and stopping stand in
// `Running.swift`. Code outside of this room can read the lives, and change them in these ways only.

// Making generations.
extension Running {
    package mutating func begin(_ number: Int, of entry: CatalogEntry) {
        book.enter(number, of: entry.id, version: entry.declaration?.version)
    }

    package mutating func advance(_ number: Int, to state: GenerationState) {
        book.advance(number, to: state)
    }

    package mutating func refuse(_ number: Int, because error: ModuleError) {
        book.refuse(number, because: error.diagnostics)
    }

    /// A loaded module's file was touched, or signed, and is the same otherwise.
    package mutating func touch(_ entry: CatalogEntry) {
        self[module: entry.id].loaded?.entry = entry
    }

    /// The calls of the generation that the present look makes are noted here.
    package mutating func open(_ account: CallAccount, for id: String) {
        self[module: id].account = account
    }

    /// A module goes back, so that its bad file stays out as long as it is the same.
    package mutating func bar(_ entry: CatalogEntry) {
        self[module: entry.id].retreat?.bar = ModuleLife.Refusal(
            entry, because: ModuleError(entry, ProbationObstacle.bad(entry.id)))
    }

    /// Enters the modules in the book that were loaded without it.
    package mutating func enter(_ numbers: GenerationNumbers) {
        for (id, module) in loaded.sorted(by: { $0.key < $1.key }) where book.serving(id) == nil {
            let number = numbers.next()
            module.code?.name(number)
            book.enter(number, of: id, version: module.entry.declaration?.version, .serving)
        }
    }
}

// Switching.
extension Running {
    /// A generation serves from now on.
    ///
    /// - Parameters:
    ///   - left: The objects of the one before that live on.
    ///   - trial: The case of the new one; `nil` if the host does not judge it.
    /// - Returns: The swap; `nil` for a first generation.
    mutating func serve(
        _ one: ModuleChange.Staged, leaving left: RetiredInstances, judging trial: TrialCase?
    ) -> HostChange? {
        let (id, number) = (one.module.entry.id, one.number)
        let old = book.serving(id)
        if let old { book.drain(old.number, leaving: left) }
        book.advance(number, to: .serving)
        let isFirst = !self[module: id].isLoaded
        take(one.module)
        endFile(id)
        let retreat = self[module: id].retreat
        self[module: id].retreat = nil
        // The bad file stays out as long as it is the same.
        self[module: id].refusal = retreat?.bar
        if let trial {
            self[module: id].trial = trial
        } else if retreat != nil || !isFirst {
            self[module: id].account?.close()
        }
        guard let old, let was = book.record(old.number), let new = book.record(number) else {
            return nil
        }
        return .swapped(HostGeneration(new), from: HostGeneration(was))
    }

    /// A module was switched off, and serves no longer.
    ///
    /// - Returns: The end of its generation.
    mutating func stop(_ id: String, leaving left: RetiredInstances) -> HostChange? {
        guard let serving = book.serving(id) else { return nil }
        book.drain(serving.number, leaving: left)
        self[module: id].loaded = nil
        endTrials(of: id)
        return book.record(serving.number).map { .stopped(HostGeneration($0)) }
    }

    /// A service comes from another module now.
    ///
    /// - Parameter trial: The case of that module; `nil` if the host does not judge it.
    mutating func bind(_ capability: Capability, judging trial: TrialCase?) {
        self[service: capability.key].trial = trial
        self[service: capability.key].retreat = nil
    }

    /// Notes which generations have drained, and which have not for long, and forgets the oldest of those that are not in
    /// use.
    ///
    /// - Parameter deadline: The time after which a generation is named that has not drained.
    /// - Returns: The changes, each told once.
    package mutating func drain(after deadline: Duration) -> [HostChange] {
        let changes: [HostChange] =
            book.retireDrained().map { .retired(HostGeneration($0)) }
            + book.noteOverdue(after: deadline).map {
                .lingering(HostGeneration($0), HostError(DrainError($0, deadline)))
            }
        book.forgetOldest()
        return changes
    }
}

// Looking at the disk.
extension Running {
    /// The manifest was read.
    ///
    /// - Returns: The manifest without the bindings that had to be taken back and could not be in the file.
    package mutating func read(_ manifest: Manifest) -> Manifest {
        self.manifest.problems = []
        return overruling(manifest.choosing(self.manifest.choices ?? manifest.choices).drawn)
    }

    /// The manifest cannot be used, and the host goes by the one before.
    ///
    /// - Returns: Whether that is news.
    package mutating func cannotRead(because problems: [Diagnostic]) -> Bool {
        defer { manifest.problems = problems }
        return manifest.problems != problems
    }

    package mutating func look(at identity: FileIdentity) { manifest.identity = identity }

    /// Lets those modules be tried again for which it is time: their exchange was put off, or they were refused for want
    /// of room and have some now.
    ///
    /// - Parameter hasRoom: Whether the process has room for further files.
    /// - Returns: Whether there are any.
    package mutating func retry(
        at now: ContinuousClock.Instant = .now, hasRoom: () -> Bool
    ) -> Bool {
        var hasAny = false
        for (id, life) in modules {
            if let postponement = life.postponement, let next = postponement.next, next <= now {
                hasAny = true
                self[module: id].postponement?.next = nil
                self[module: id].untransferred[postponement.from] = nil
                if life.refusal?.entry == postponement.entry { self[module: id].refusal = nil }
            }
            if life.refusal?.error.meansWantOfRoom == true, book.obstacle(to: id) == nil, hasRoom()
            {
                hasAny = true
                self[module: id].refusal = nil
            }
        }
        return hasAny
    }

    /// Forgets which modules could not take on a state, except for the transfers that the present look wants.
    package mutating func forgetTransfers(but wanted: Set<StateTransfer.Pair>) {
        for (id, life) in modules where !life.untransferred.isEmpty {
            self[module: id].untransferred = life.untransferred.filter {
                wanted.contains(.init(from: $0.key, to: id))
            }
        }
    }

    /// Bindings that draw at each call do so from now on.
    ///
    /// - Parameter usual: The choices before the first look.
    /// - Returns: Whether they did not before.
    package mutating func shareCalls(besides usual: BindingChoices) -> Bool {
        var choices = manifest.choices ?? usual
        defer { manifest.choices = choices }
        guard !choices.sharesCalls else { return false }
        choices.sharesCalls = true
        return true
    }

    /// The host has taken on changes of which no observer could hear.
    package mutating func keepUntold(_ changes: [HostChange]) { untold += changes }

    /// The changes of which no observer has heard. They are given once.
    package mutating func takeUntold() -> [HostChange] {
        defer { untold = [] }
        return untold
    }
}

// Going back.
extension Running {
    /// Something was judged to be bad: what served before serves again with the next switch, if need be without the state
    /// of the bad one.
    package mutating func goBack(from item: TrialCase) {
        switch item.cause {
        case .file(let before):
            self[module: item.module].retreat = ModuleLife.Retreat(to: before)
            self[module: item.module].losesState = true
        case .binding(let key, let before), .canary(let key, stable: let before):
            self[module: before].losesState = true
            self[service: key.capability].retreat = before
        }
    }

    /// A binding was taken back although the manifest cannot be written: what it demands stays out.
    ///
    /// - Parameter bound: The binding in the manifest.
    package mutating func overrule(
        _ key: BindingKey, bound: Binding.Target?, with module: String
    ) {
        self[service: key.capability].ruling = ServiceLife.Ruling(
            key: key, bound: bound, module: module)
    }
}
