// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesInterface
import EavesManifest
import EavesRules
import EavesSystem
import EavesTestSupport
import EavesTrust

@testable import EavesLife
@testable import EavesLoader
@testable import EavesRegistry

// Looks at the disk as `LiveModules` and `LivePass` do. No other file of these tests calls the plan.
extension LookWorld {
    /// Judges, and looks until no look lets something else be taken on.
    func look() throws {
        guard !running.isStopped, !isLooking else { return }
        (hasLooked, isLooking) = (true, true)
        defer { isLooking = false }
        judge()
        let refused = running.modules.filter { $0.value.refusal != nil }.keys
        _ = running.retry(at: now) { hasRoom }
        for id in refused where running[module: id].refusal == nil { rejected[id] = nil }
        let (seen, disk) = (Set(disk.filter { $0.value.present != nil }.keys), try readDisk())
        for (id, entry) in rejected where disk.catalog.entry(id) != entry { rejected[id] = nil }
        for _ in 0...running.services.count + running.modules.count {
            guard let look = take(on: disk) else { break }
            told += look.changes.map(words)
            guard look.isPartial || running.hasTold && look.changes.contains(where: \.isSwitch)
            else { break }
        }
        _ = running.drain(after: .seconds(3600))
        checkStates(having: seen)
    }

    /// Looks once, and takes all steps.
    ///
    /// - Returns: The look after its switch; `nil` if the host was killed meanwhile.
    private func take(on disk: Outlook) -> Look? {
        let life = kills
        var look = Look(at: disk, policy: LivePolicy())
        var made: Set<String> = []
        for _ in 0..<100 {
            guard !running.isStopped else {
                plan(&look) { $0.abandon() }
                return look
            }
            running.enter(nextNumber)
            let claimed = made.filter { look[$0].staged?.module.lifecycle != nil }
            let facts = Look.Facts(
                served: answers, loading: loading.subtracting(claimed), now: now)
            let next = plan(&look) { $0.next(knowing: facts) }
            if next.isEmpty {
                running.forgetTransfers(but: look.wantedTransfers)
                publish(&look)
                return look
            }
            for step in next {
                take(step, &look, facts, &made)
                if !meanwhile.isEmpty { happen(meanwhile.removeFirst()) }
                guard kills == life else { return nil }
                checkServing()
            }
        }
        mistakes.append("the look does not end: \(steps.suffix(5))")
        return look
    }

    /// Runs a part of the plan, and takes on what it has decided.
    @discardableResult
    func plan<Result>(_ look: inout Look, _ part: (inout Look) -> Result) -> Result {
        let (result, events) = look.plan(over: running, part)
        for event in events { running.take(event) }
        return result
    }

    var answers: [Look.Facts.Served] {
        served.sorted { $0.key < $1.key }.compactMap { service, module in
            Self.requests[service].map { ($0, module) }
        }
    }

    private func take(
        _ step: Look.Step, _ look: inout Look, _ facts: Look.Facts, _ made: inout Set<String>
    ) {
        switch step {
        case .compare(let id):
            let entry = look.disk.catalog.entry(id)
            let isIncomplete = entry.map { content(of: $0).traits.contains(.cutShort) } ?? false
            let file = FoundFile(
                entry: entry, identity: entry?.status.map { FileIdentity($0) },
                isIncomplete: isIncomplete)
            plan(&look) { $0.compared(id, with: file, knowing: facts) }
        case .wait(let id):
            steps.append("wait for \(id)")
            if stuck.contains(id), let entry = look.disk.catalog.entry(id) {
                let error = LifecycleError.startsTooLong(id, .seconds(30))
                look.cannotHave(id, because: ModuleError(entry, error))
            } else {
                load(id)
            }
        case .refuse(let entry, let error):
            steps.append("refuse \(words(entry))")
            refuse(entry, nil, error, &look)
        case .makeNext(let entry, let loaded):
            steps.append("make \(words(entry))")
            makeNext(entry, over: loaded, &look)
        case .goBack(let entry, let back):
            steps.append("go back to \(words(back.entry))")
            goBack(entry, to: back, &look)
        case .makeFirst(let entry, _):
            steps.append("make the first \(words(entry))")
            do throws(ModuleError) {
                try makeFirst(entry, &look)
                made.insert(entry.id)
            } catch {
                look.cannotHave(entry.id, because: error)
            }
        case .start(let id):
            steps.append("start \(id)")
            start(id, &look)
        case .handOver(let id):
            steps.append("hand over to \(id)")
            guard let loaded = running[module: id].loaded else {
                return mistakes.append("\(id) is to take on a state, and is not loaded")
            }
            do throws(ModuleError) {
                try handOver(to: loaded, &look)
            } catch {
                plan(&look) { $0.giveUp(id, error) }
            }
        case .handOverLastStates:
            steps.append("hand over the last states")
            handOverLastStates(&look)
        }
    }

    func words(_ entry: CatalogEntry) -> String {
        "\(entry.id) \(content(of: entry).number)"
    }

    private func begin(_ entry: CatalogEntry) -> Int {
        running.take(.begun(nextNumber(), entry))
        return number
    }

    private func nextNumber() -> Int {
        number += 1
        return number
    }
}

// Makes generations.
extension LookWorld {
    private func refuse(
        _ entry: CatalogEntry, _ number: Int?, _ error: ModuleError, _ look: inout Look
    ) {
        check(rejected[entry.id] != entry, "\(words(entry)) is refused again as it was")
        let number = number ?? begin(entry)
        plan(&look) { $0.refuse(entry, number, error) }
        // One that waits for an interface is tried again once the interface is as before.
        let waits = running[module: entry.id].refusal?.error.awaitedInterface != nil
        rejected[entry.id] = waits ? nil : entry
    }

    private func makeNext(
        _ entry: CatalogEntry, over loaded: ModuleLife.Loaded, _ look: inout Look
    ) {
        check(rejected[entry.id] != entry, "\(words(entry)) is made again as it was")
        check(running[module: entry.id].isLoaded, "\(entry.id) is not loaded")
        var number: Int?
        do throws(ModuleError) {
            try checkPresent(entry)
            if loaded.isInterface {
                return plan(&look) { $0.keepInterface(loaded.entry, entry) }
            }
            let code = Self.code(of: entry)
            if code === loaded.code, entry.settings == loaded.entry.settings,
                entry.hasSamePlace(as: loaded.entry)
            {
                return running.take(.touched(entry))
            }
            if !hasRoom {
                let room = ProcessRoom(.mappings, used: 9, of: 9)
                throw ModuleError(entry, LoadError.exhausted(room))
            }
            try make(entry, over: loaded, &number, &look)
        } catch {
            if plan(&look, { $0.isChanging(entry, error) }) {
                if let number {
                    running.take(.refusedGeneration(number, of: entry.id, because: error))
                }
            } else if entry.isSameFile(as: loaded.entry), error.isOfSignature {
                rejected[entry.id] = entry
                plan(&look) { $0.keeps(loaded.entry, because: error) }
            } else {
                refuse(entry, number, error, &look)
            }
        }
    }

    private func goBack(
        _ entry: CatalogEntry, to back: ModuleLife.Loaded, _ look: inout Look
    ) {
        if quarantine?[entry.id]?.contains(content(of: back.entry).number) == true {
            let error = ModuleError(back.entry, ProbationObstacle.bad(entry.id))
            return refuse(back.entry, nil, error, &look)
        }
        running.take(.barred(entry))
        if let bar = running[module: entry.id].retreat?.bar { rejected[entry.id] = bar.entry }
        // It may have been refused for a service that it lacks, which matters less now.
        if rejected[entry.id] == back.entry { rejected[entry.id] = nil }
        look.keeps(back.entry)
        guard let bad = running[module: entry.id].loaded else { return }
        var number: Int?
        do throws(ModuleError) {
            try make(back.entry, over: bad, &number, &look)
        } catch {
            refuse(back.entry, number, error, &look)
        }
    }

    private func makeFirst(
        _ entry: CatalogEntry, _ look: inout Look
    ) throws(ModuleError) {
        let id = entry.id
        check(look[id].staged == nil, "\(id) is on its way already")
        if running[module: id].isLoaded || loading.contains(id) { return }
        if let failure = running[module: id].failure { throw failure }
        var number: Int?
        do throws(ModuleError) {
            try checkPresent(entry)
            try make(entry, over: nil, &number, &look)
        } catch {
            let error = running.explained(error)
            if let number {
                running.take(.refusedGeneration(number, of: id, because: error))
            }
            if !error.meansChanging { running.fail(id, because: error) }
            throw error
        }
    }

    private func checkPresent(_ entry: CatalogEntry) throws(ModuleError) {
        guard disk[entry.id]?.present == content(of: entry.own).number else {
            throw ModuleError(entry, ChangingFileError())
        }
        try checkSignature(entry)
    }

    /// Checks a signature as a host does before any code of the module runs.
    private func checkSignature(_ entry: CatalogEntry) throws(ModuleError) {
        let signed = entry.standIn == nil ? disk[entry.id]?.signature : content(of: entry).number
        guard let spoilt, !spoilt.isEmpty || signed != content(of: entry).number else { return }
        throw ModuleError(entry, BinaryError(entry, [.signature(.missing("\(entry.id).so.sig"))]))
    }

    private func make(
        _ entry: CatalogEntry, over loaded: ModuleLife.Loaded?, _ number: inout Int?,
        _ look: inout Look
    ) throws(ModuleError) {
        if content(of: entry).traits.contains(.hasOldTypes) {
            throw ModuleError(entry, SwapObstacle.sameTypes(entry.id))
        }
        let begun = begin(entry)
        number = begun
        running.take(.advanced(begun, of: entry.id, to: .checked))
        let module = try register(entry)
        running.take(.advanced(begun, of: entry.id, to: .loaded))
        running.take(.advanced(begun, of: entry.id, to: .registered))
        let account = judges ? CallAccount() : nil
        let problem = plan(&look) { $0.made(begun, module, over: loaded, counting: account) }
        if let problem { throw problem }
    }

    /// Runs the code of a module for the first time.
    private func register(_ entry: CatalogEntry) throws(ModuleError) -> ModuleLife.Loaded {
        let (id, traits) = (entry.id, content(of: entry).traits)
        if entry.problem != nil { throw ModuleError(entry, UnusableModuleError(entry: entry)) }
        if traits.contains(.doesNotLoad) { throw ModuleError(entry, FixtureError("no code")) }
        let interface = running[module: "i"].loaded.map { content(of: $0.entry).number }
        if traits.contains(.needsInterface), interface == nil || interface != disk["i"]?.present {
            throw ModuleError(entry, LoadError.undefinedSymbol("other"))
        }
        let code = Self.code(of: entry)
        running.keep(code, of: id)
        if traits.contains(.hangs) {
            throw ModuleError(entry, LoadError.hangs(registers: true, .seconds(10)))
        }
        let lifecycle: (any Lifecycle)? =
            traits.contains(.stateful) ? Stateful() : traits.contains(.living) ? Living() : nil
        if running[module: id].handed != nil, !traits.contains(.stateful) {
            throw ModuleError(entry, HandoverError.keepsNone(of: id))
        }
        return ModuleLife.Loaded(
            entry: entry, code: traits.contains(.interface) ? nil : code,
            lifecycle: lifecycle.map { GenerationLifecycle($0, of: id) })
    }

    /// The module that a service is to come from.
    func provider(of request: ServiceRequest) -> String? {
        (try? outlook.catalog.provider(of: Capability(request)))?.id
    }

    /// Lets a caller ask for a service. The module that provides it is loaded if it is not.
    func ask(_ service: String) {
        if !hasLooked, let disk = try? readDisk() { outlook = disk }
        guard served[service] == nil, let id = Self.requests[service].flatMap(provider) else {
            return
        }
        load(id)
    }

    /// Loads a module on another thread, as `ModuleLoader` does.
    func load(_ id: String) {
        loading.remove(id)
        let life = running[module: id]
        guard !running.isStopped, !life.isLoaded, life.failure == nil, !stuck.contains(id),
            let entry = entry(id), entry.isEnabled
        else { return }
        do throws(ModuleError) {
            try checkSignature(entry)
            let module = try register(entry)
            if content(of: entry).traits.contains(.doesNotStart) {
                throw ModuleError(entry, LifecycleError.unhealthy)
            }
            running.take(module)
            running.enter(nextNumber)
            serve(id, content(of: entry))
        } catch {
            running.fail(id, because: error)
        }
    }

    /// The entry of a module for a first load, which looks again if the file has changed.
    private func entry(_ id: String) -> CatalogEntry? {
        if outlook.catalog.entry(id).map({ content(of: $0).number }) != disk[id]?.present {
            return (try? readDisk())?.catalog.entry(id)
        }
        return outlook.catalog.entry(id)
    }

    /// Lets a module that is loaded answer for the services that had no provider and that come from it.
    func serve(_ id: String, _ content: Content) {
        for service in content.provides where served[service] == nil {
            guard let request = Self.requests[service],
                provider(of: request) == id
            else { continue }
            served[service] = id
        }
    }
}
