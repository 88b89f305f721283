// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
package import EavesManifest
package import EavesRegistry
package import EavesSystem

// The events: everything that a plan decides and that performers report, and what it changes in the lives; loading and
// stopping stand in `Running.swift`. Code outside of this room can read the lives, and change them in these ways only.

extension Running {
    /// A thing that has happened, or that a ``Look`` has decided.
    package enum Event: Sendable {
        // Generations.

        /// A generation is being made.
        case begun(Int, CatalogEntry)
        case advanced(Int, of: String, to: GenerationState)
        case refusedGeneration(Int, of: String, because: ModuleError)
        /// A generation is no longer on its way: the same file serves already.
        case withdrawn(Int, of: String)

        // Files of loaded modules.

        case file(String, ModuleLife.File)
        /// The file was touched, or signed, and is the same otherwise.
        case touched(CatalogEntry)
        /// Another file has the id of a loaded module, or none has any longer.
        case rival(CatalogEntry)
        /// The module goes back, so that its bad file stays out as long as it is the same; a newer file is not barred.
        case barred(CatalogEntry)

        // Modules that are not loaded, and states that do not go over.

        case failed(String, ModuleError)
        /// It may be tried again: something about it has changed.
        case mended(String)
        /// A module does not take on the state of another one.
        case untaken(StateTransfer.Refusal)
        /// A module may take on the state of another one, or has.
        case takes(String, from: String)

        // Services.

        /// The reasons why services do not come from where the disk wants them, by the services' keys: these and no others.
        case told([String: Obstacle])
        /// Modules share a service's calls; `nil` if one module has all.
        case shares(String, ServiceLife.Shared?)
        /// The new shares of a service were told.
        case toldShares(String)

        // The switch.

        /// A generation serves from now on. The second value counts the objects of the one before that live on.
        case serves(ModuleChange.Staged, leaving: RetiredInstances, judging: TrialCase?)
        /// A module was switched off, and serves no longer.
        case stopped(String, leaving: RetiredInstances)
        /// The service with this key comes from another module, or goes back no longer: the switch that could do it is over.
        case settled(String, judging: TrialCase?)
    }

    package mutating func take(_ event: Event) {
        switch event {
        case .begun(let number, let entry):
            self[module: entry.id].book.enter(
                number, of: entry.id, version: entry.declaration?.version)
        case .advanced(let number, let id, let state):
            self[module: id].book.advance(number, to: state)
        case .refusedGeneration(let number, let id, let error):
            self[module: id].book.refuse(number, because: error.diagnostics)
        case .withdrawn(let number, let id): self[module: id].book.withdraw(number)
        case .file(let id, let file): self[module: id].serving?.file = file
        case .touched(let entry):
            self[module: entry.id].serving?.module.entry = entry
            take(.file(entry.id, .taken))
        case .rival(let entry): self[module: entry.id].serving?.module.entry.rival = entry.rival
        case .barred(let entry):
            let bad = self[module: entry.id].loaded?.entry
            guard var retreat = self[module: entry.id].retreat, bad?.isSameFile(as: entry) == true
            else { return }
            retreat.bar = ModuleLife.Refusal(
                error: ModuleError(entry, ProbationObstacle.bad(entry.id)))
            take(.file(entry.id, .goingBack(retreat)))
        case .failed(let id, let error): fail(id, because: error)
        case .mended(let id):
            self[module: id].state = self[module: id].handed.map { .awaited($0) } ?? .absent
        case .untaken(let refusal):
            take(.takes(refusal.to.id, from: refusal.from.id))
            self[module: refusal.to.id].untaken.append(refusal)
        case .takes(let id, let other): self[module: id].untaken.removeAll { $0.from.id == other }
        case .told(let obstacles):
            for (key, life) in services where life.told != nil && obstacles[key] == nil {
                self[service: key].told = nil
            }
            for (key, obstacle) in obstacles { self[service: key].told = obstacle }
        case .shares(let key, let shared): self[service: key].shared = shared
        case .toldShares(let key): self[service: key].shared?.newWord = nil
        case .serves(let one, let left, let trial): serve(one, leaving: left, judging: trial)
        case .stopped(let id, let left): stop(id, leaving: left)
        case .settled(let key, let trial):
            self[service: key].state = trial.map { .judged($0) } ?? .settled
        }
    }

    private mutating func serve(
        _ one: ModuleChange.Staged, leaving left: RetiredInstances, judging trial: TrialCase?
    ) {
        let id = one.module.entry.id
        if let old = self[module: id].book.serving {
            self[module: id].book.drain(old.number, leaving: left)
        }
        self[module: id].book.advance(one.number, to: .serving)
        let (isFirst, retreat) = (!self[module: id].isLoaded, self[module: id].retreat)
        endFile(id)
        take(one.module)
        // The shares of its first generation are of this look.
        if !isFirst { judgeCanaryAnew(one) }
        // The bad file stays out as long as it is the same.
        if let bar = retreat?.bar { take(.file(id, .refused(bar))) }
        self[module: id].serving?.trial = trial
        if isFirst { goOnJudging(one.module) }
        if trial == nil, retreat != nil || !isFirst { one.account?.close() }
    }

    private mutating func stop(_ id: String, leaving left: RetiredInstances) {
        guard let serving = self[module: id].book.serving else { return }
        self[module: id].book.drain(serving.number, leaving: left)
        endTrials(of: id)
        self[module: id].state = .absent
    }
}

// Numbers and time.
extension Running {
    /// Enters the modules in their books that were loaded without them, and goes on with the trials of those.
    package mutating func enter(_ next: () -> Int) {
        for (id, module) in loaded.sorted(by: { $0.key < $1.key })
        where self[module: id].book.serving == nil {
            let number = next()
            module.code?.name(number)
            self[module: id].book.enter(
                number, of: id, version: module.entry.declaration?.version, .serving)
            goOnJudging(module)
        }
    }

    /// Notes which generations have drained, and which have not for long, and forgets the oldest of those that are not in
    /// use.
    ///
    /// - Parameter deadline: The time after which a generation is named that has not drained.
    /// - Returns: The changes, each told once.
    package mutating func drain(after deadline: Duration) -> [HostChange] {
        var retired: [GenerationBook.Record] = []
        var overdue: [GenerationBook.Record] = []
        for (id, life) in modules where !life.book.records.isEmpty {
            var book = life.book
            let (now, late) = (book.retireDrained(), book.noteOverdue(after: deadline))
            guard book.forgetOldest() || !now.isEmpty || !late.isEmpty else { continue }
            (retired, overdue) = (retired + now, overdue + late)
            self[module: id].book = book
        }
        return retired.sorted { $0.number < $1.number }.map { .retired(HostGeneration($0)) }
            + overdue.sorted { $0.number < $1.number }.map {
                .lingering(
                    HostGeneration($0), HostError(DrainError(record: $0, deadline: deadline)))
            }
    }

    /// Lets those modules be tried again for which it is time: their exchange was put off, or they were refused for want
    /// of room and have some now.
    ///
    /// - Parameter hasRoom: Whether the process has room for further files.
    /// - Returns: Whether there are any.
    package mutating func retry(
        at now: ContinuousClock.Instant = .now, hasRoom: () -> Bool
    ) -> Bool {
        var hasAny = false
        for (id, var life) in modules {
            var isDue = false
            if var refusal = life.refusal {
                if refusal.again?.look(at: now) == true {
                    life.serving?.file = .refused(refusal)
                    isDue = true
                } else if refusal.error.meansWantOfRoom, life.book.obstacle(to: id) == nil,
                    hasRoom()
                {
                    life.serving?.file = .taken
                    isDue = true
                }
            }
            for index in life.untaken.indices {
                if life.untaken[index].again?.look(at: now) == true { isDue = true }
            }
            guard isDue else { continue }
            hasAny = true
            self[module: id] = life
        }
        return hasAny
    }
}

// The manifest, and the things that observers hear.
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

    /// Forgets which modules could not take on a state, except for the transfers that the present look wants.
    package mutating func forgetTransfers(but wanted: Set<StateTransfer.Pair>) {
        for (id, life) in modules where !life.untaken.isEmpty {
            self[module: id].untaken = life.untaken.filter {
                wanted.contains(.init(from: $0.from.id, to: id))
            }
        }
    }
}

// Going back.
extension Running {
    /// Something was judged to be bad: what served before serves again with the next switch, if need be without the state
    /// of the bad one.
    package mutating func goBack(from item: TrialCase) {
        switch item.cause {
        case .file(let before):
            // The code may have stayed in an earlier process. Its copy in the store takes the place of the file then, which is
            // kept out.
            let refusal = self[module: item.module].refusal
            let good = before.code == nil && item.digest != nil ? nil : before
            take(.file(item.module, .goingBack(.init(to: good, bar: refusal))))
        case .binding(let key, let before):
            self[service: key.capability].state = .goingBack(from: item.module, to: before)
        // The stable module has all calls from now on.
        case .canary: break
        }
    }

    /// A binding was taken back although the manifest cannot be written: what it demands stays out.
    ///
    /// - Parameter bound: The binding in the manifest.
    package mutating func overrule(_ key: BindingKey, bound: Binding.Target?, with module: String) {
        self[service: key.capability].ruling = ServiceLife.Ruling(
            key: key, bound: bound, module: module)
    }
}
