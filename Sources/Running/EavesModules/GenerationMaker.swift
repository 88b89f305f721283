// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDiagnostics
import EavesELF
import EavesInterface
import EavesJSON
package import EavesLife
package import EavesLoader
package import EavesManifest
import EavesQuarantine
package import EavesRegistry
import EavesRules
import EavesSystem
import EavesTrust

/// Makes a generation of a module: checks the file, copies it, loads the copy, lets it register with a
/// registrar that only collects, and compares. No code can ask for anything of it yet.
///
/// Everything that happens between the choice of a module and its first service is here.
package struct GenerationMaker: Sendable {
    package let outlook: Outlook
    /// Whether private copies are made in memory. That takes no time to wait for the disk, and the next process
    /// has to make another copy.
    let isInMemory: Bool
    let loader: ModuleLoader
    package var limit: Duration? { loader.limit.value }
    package var pauses: ClosedRange<Duration> { loader.pauses }
    package var observers: HostObservers { loader.observers }
    package var manifest: Manifest { outlook.manifest }

    /// Makes a private copy of a module's file, and checks the copy against every rule.
    package func check(_ entry: CatalogEntry) throws(ModuleError) -> CheckedModule {
        let start = ContinuousClock.now
        return try ModuleError.naming(entry) {
            guard entry.problem == nil else { throw UnusableModuleError(entry: entry) }
            if !loader.prepared.value.isEmpty,
                var ready = loader.prepared.value.removeValue(forKey: entry)
            {
                ready.start = start
                return ready
            }
            let copies = ShadowCopy(in: isInMemory ? nil : manifest.store)
            let terms = terms(of: entry)
            let copy = try privateCopy(of: entry, in: copies, passedOn: terms)
            let inspected = InspectedModule(
                copy: copy.ownPath, held: copy, of: entry, among: outlook.catalog, in: manifest,
                host: .current)
            if copy.finding == nil {
                do {
                    try inspected.checkBeforeLoading()
                } catch {
                    copies.discard(copy)
                    throw error
                }
                if let terms, let finding = inspected.finding {
                    copies.note(copy, id: entry.id, passedOn: terms, finding: finding)
                }
            }
            entry.warnings.forEach(observers.warn)
            return CheckedModule(
                entry: entry, copy: copy, inspected: inspected, signature: signature(of: entry),
                start: start)
        }
    }

    /// The terms on which an earlier check of the copy goes for this launch. `nil` where each launch reads the copy: in memory,
    /// and where the manifest demands certain bytes.
    private func terms(of entry: CatalogEntry) -> CheckTerms? {
        guard !isInMemory, manifest.signatures == nil, entry.sha256 == nil,
            manifest.entry(entry.id)?.leastVersion == nil, let catalog = outlook.catalog.terms
        else { return nil }
        return CheckTerms(catalog: catalog, isIsolated: entry.isIsolated)
    }

    /// The private copy that code was loaded from, which was checked then.
    package func checked(_ code: LoadedCode, as entry: CatalogEntry) -> CheckedModule {
        let inspected = InspectedModule(
            copy: code.copy.ownPath, held: code.copy, of: entry, among: outlook.catalog,
            in: manifest, host: .current)
        return CheckedModule(
            entry: entry, copy: code.copy, inspected: inspected, signature: code.signature,
            start: .now)
    }

    /// Makes a generation that no other code sees yet: loads it unless the process has its code, and lets it register. The
    /// interfaces that it names are part of the process.
    ///
    /// - Parameters:
    ///   - account: The account of the calls of the module's factories; `nil` if it is not judged.
    ///   - step: A function that gets each step that was taken.
    package func make(
        _ module: CheckedModule, counting account: CallAccount? = nil,
        _ step: (GenerationState) -> Void = { _ in }
    ) throws(ModuleError) -> StagedGeneration {
        // Loaded twice, the same code would give the process each of its types twice.
        let known = try loader.running.code(of: module.entry, with: module.copy.digest)
        let generation = try ModuleError.naming(module.entry) {
            if let number = module.number { known?.name(number) }
            let isIsolated = module.entry.isIsolated
            let code =
                try known.flatMap { $0.isIsolated == isIsolated ? $0 : nil }
                ?? (isIsolated ? isolate(module) : load(module))
            loader.running.keep(code, of: module.entry.id)
            step(.loaded)
            let registrar = registrar(for: module.entry, counting: account)
            try register(code, of: module, in: registrar)
            let lifecycle = try registrar.lifecycle()
            step(.registered)
            return StagedGeneration(
                module: module, code: code, registrar: registrar,
                lifecycle: lifecycle.map {
                    GenerationLifecycle(
                        $0, of: module.entry.id, from: code.module.map { _ in code.copy.ownPath },
                        behind: registrar.gate)
                })
        }
        try loader.checkHandedState(of: generation)
        return generation
    }

    /// Lets code that is loaded register once more, with a registrar that is dropped.
    ///
    /// - Returns: The life cycle that it gives, not started yet; `nil` if it gives none.
    package func lifecycle(of code: LoadedCode, as entry: CatalogEntry) throws
        -> GenerationLifecycle?
    {
        let registrar = registrar(for: entry)
        if let module = code.module {
            try firstRun(.register, of: entry, code.copy) { () throws(LoadError) in
                try module.register(in: registrar) { _ in }
            }
        } else {
            try registerIsolated(code.copy, of: entry, in: registrar)
        }
        return try registrar.lifecycle().map { GenerationLifecycle($0, of: entry.id) }
    }

    private func registrar(
        for entry: CatalogEntry, counting account: CallAccount? = nil
    ) -> StagedRegistrar {
        StagedRegistrar(
            module: entry.id,
            settings: Settings(
                entry.settings, directory: manifest.directory,
                places: manifest.settingPlaces(of: entry.id)),
            counting: account)
    }

    /// Makes an interface module part of the process, unless the program has it linked in.
    ///
    /// - Parameter expecting: A function that gets its digest before a byte of it runs.
    func bringIn(
        _ interface: CatalogEntry, _ expecting: (SHA256Digest) -> Void = { _ in }
    ) throws(ModuleError) {
        let module = try check(interface)
        let (copy, inspected) = (module.copy, module.inspected)
        try ModuleError.naming(interface) {
            let isLoaded = try InterfaceLoader.bringIn(inspected, from: copy) {
                let file = copy.ownPath
                expecting(copy.digest)
                try open(inspected, from: copy) { () throws(LoadError) in
                    try Loader.openInterface(file)
                }
            }
            rememberVersion(inspected)
            if isLoaded { observers.tellLoaded(interface, in: .now - module.start) }
        }
    }

    /// Tells of a generation that others can ask for now.
    package func tell(_ generation: StagedGeneration) {
        let entry = generation.entry
        if !entry.settings.isEmpty, !generation.registrar.hasReadSettings {
            let names = entry.settings.map { "'\($0.name)'" }.joined(separator: ", ")
            let place = Path.relative(manifest.path, to: Path.current)
            observers.warn(
                Diagnostic(
                    "\(entry.id): ignores its settings \(names) (\(place))",
                    fix: "remove modules.\(entry.id).settings from the manifest, or use a version "
                        + "of the module that reads them",
                    code: .badData))
        }
        rememberVersion(generation.module.inspected)
        observers.tellLoaded(entry, in: ContinuousClock.now - generation.module.start)
    }

    private func load(_ module: CheckedModule) throws -> LoadedCode {
        let (file, number) = (module.copy.ownPath, module.number)
        // Only a package can have resources, whose code uses Foundation to find them.
        if try module.inspected.usesFoundation {
            try ResourceFolder(of: module.copy, in: manifest.store)?.announce()
        }
        do {
            let loaded = try open(module.inspected, from: module.copy) { () throws(LoadError) in
                if let number { CrashWatch.number(number, file) }
                return try Loader.open(file)
            }
            return LoadedCode(
                loaded, of: module.entry, from: module.copy, signedBy: module.signature)
        } catch let error as LoadError {
            throw module.inspected.explanation(of: error) ?? error
        }
    }

    /// Lets a file become part of the process, unless its code would run with definitions of another one.
    private func open<Result>(
        _ inspected: InspectedModule, from copy: PrivateCopy,
        _ body: @escaping () throws(LoadError) -> Result
    ) throws -> Result {
        let (entry, definitions) = (inspected.entry, inspected.processWideDefinitions)
        do throws(SwapObstacle) {
            try loader.running.define(definitions, by: entry.id)
        } catch {
            throw error.renewed(by: outlook)
        }
        copy.keep()
        observers.tellLoading(entry, from: copy)
        do throws(LoadError) {
            return try run(.load, of: entry, copy, body)
        } catch {
            // A file that has not come back may still become part of the process.
            if case .hangs = error {} else { loader.running.undefine(definitions) }
            throw error
        }
    }

    private func register(
        _ code: LoadedCode, of module: CheckedModule, in registrar: StagedRegistrar
    ) throws {
        let entry = module.entry
        if let loaded = code.module {
            do throws(LoadError) {
                try run(.register, of: entry, module.copy) { [observers] () throws(LoadError) in
                    try loaded.register(in: registrar) { observers.log(entry.id, $0) }
                }
            } catch {
                throw module.inspected.explanation(of: error) ?? error
            }
        } else {
            try registerIsolated(module.copy, of: entry, in: registrar)
        }
        if let declaration = entry.declaration {
            try RegistrationCheck.run(registrar.registrations, against: declaration)
        }
    }

    /// Runs a module's code for the first time. If the code does not return, the host keeps the file out: the next host
    /// would wait as long, or for ever.
    private func run<Result>(
        _ step: FirstRun.Step, of entry: CatalogEntry, _ copy: PrivateCopy,
        _ body: @escaping () throws(LoadError) -> Result
    ) throws(LoadError) -> Result {
        do throws(LoadError) {
            return try firstRun(step, of: entry, copy, body)
        } catch {
            if case .hangs = error {
                do throws(QuarantineError) {
                    try QuarantineStore(manifest.store).keepOut(
                        entry.suspect, sha256: copy.digest.hex,
                        because: error.diagnostic(of: entry.id).message
                            + " in a host that stays up", since: WallClock.second)
                } catch {
                    error.diagnostics.forEach(observers.warn)
                }
            }
            throw error
        }
    }

    private func firstRun<Result>(
        _ step: FirstRun.Step, of entry: CatalogEntry, _ copy: PrivateCopy,
        _ body: @escaping () throws(LoadError) -> Result
    ) throws(LoadError) -> Result {
        guard let limit else { return try body() }
        return try FirstRun(
            step: step, module: entry.id, file: copy.ownPath, limit: limit, board: loader.board
        ).run(body)
    }

    /// The signature that the manifest demands, and that was just checked; `nil` if it demands none.
    private func signature(of entry: CatalogEntry) -> [UInt8]? {
        guard manifest.signatures == .required else { return nil }
        // If another user's file takes its place now, hosts refuse the copy that is kept with it later.
        return try? Files.read(entry.loadedFile + SignatureCheck.suffix)
    }

    /// Makes the private copy that is loaded, of the very file that the catalog knows: what it declares, and what it
    /// was built from, goes for no other. Checks once more who can change the module: the catalog has checked that
    /// before, and meanwhile the answer may be another one.
    private func privateCopy(
        of entry: CatalogEntry, in copies: ShadowCopy, passedOn terms: CheckTerms?
    ) throws -> PrivateCopy {
        do {
            return try copies.make(
                of: entry.loadedFile, id: entry.id, as: entry.status.map { FileIdentity($0) },
                passedOn: terms, manifest.trust)
        } catch let error as TrustError {
            throw UnusableModuleError(entry: entry, .untrusted(error))
        } catch PlaceError.untrusted(let error) {
            throw UnusableModuleError(entry: entry, .untrusted(error))
        }
    }

    private func rememberVersion(_ inspected: InspectedModule) {
        do throws(VersionError) {
            try inspected.rememberVersion()
        } catch {
            let entry = inspected.entry
            error.diagnostics.forEach { observers.warn($0.naming(entry.id, entry.path)) }
        }
    }

    /// Keeps the copy, from which each generation is another process.
    private func isolate(_ module: CheckedModule) throws -> LoadedCode {
        guard loader.isolation != nil else { throw NoIsolationError() }
        module.copy.keep()
        observers.tell(.loading(module.entry))
        return LoadedCode(nil, of: module.entry, from: module.copy, signedBy: module.signature)
    }

    private func registerIsolated(
        _ copy: PrivateCopy, of entry: CatalogEntry, in registrar: StagedRegistrar
    ) throws {
        guard let isolation = loader.isolation else { throw NoIsolationError() }
        try isolation.register(copy, of: entry, by: self, in: registrar)
    }
}

// SAFETY: the thread that checks a module hands it on to the thread that makes a generation of it, and then to the one that
// starts it; no two threads have it at the same time.
/// A module whose private copy keeps every rule, and whose code is not part of the process yet.
package struct CheckedModule: @unchecked Sendable {
    package let entry: CatalogEntry
    package let copy: PrivateCopy
    let inspected: InspectedModule
    let signature: [UInt8]?
    fileprivate(set) var start: ContinuousClock.Instant
    /// The number of the generation; `nil` if it has none yet.
    package var number: Int?
}

/// A generation that has registered, and that no code can ask for anything yet.
package struct StagedGeneration: Sendable {
    let module: CheckedModule
    package let code: LoadedCode
    package let registrar: StagedRegistrar
    package let lifecycle: GenerationLifecycle?
    package var entry: CatalogEntry { module.entry }
    /// The module as a host knows it once it serves.
    package var loaded: ModuleLife.Loaded {
        ModuleLife.Loaded(entry: entry, code: code, lifecycle: lifecycle)
    }
}
