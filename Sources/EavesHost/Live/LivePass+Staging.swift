// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesManifest
import EavesRegistry

// Makes generations, which nobody can ask for anything yet.
extension LivePass {
    /// Makes the next generation of a loaded module.
    mutating func stage(_ entry: CatalogEntry, over loaded: ModuleLife.Loaded) {
        var number: Int?
        do throws(ModuleError) {
            // A file that is no module declares nothing, and that is not what is wrong with it.
            guard entry.problem == nil else {
                throw ModuleError(entry, UnusableModuleError(entry: entry))
            }
            if let obstacle = running.book.obstacle(to: entry.id) {
                throw ModuleError(entry, obstacle)
            }
            let lost = services(lostBy: entry.id)
            if !lost.isEmpty { throw ModuleError(entry, SwapObstacle.takesAway(entry.id, lost)) }
            let maker = modules.loader.maker(disk, inMemory: true)
            let checked = try maker.check(entry)
            let known = try running.code(of: checked)
            if known === loaded.code, entry.settings == loaded.entry.settings {
                // Somebody touched the file, or signed it.
                running[module: entry.id].loaded?.entry = entry
                return
            }
            let generation = try make(
                checked, by: maker, reusing: known, over: loaded, &number)
            try demandTransfer(from: loaded, to: generation)
        } catch {
            if isChanging(entry, error) {
                if let number { running.book.refuse(number, because: error.diagnostics) }
                self[entry.id].stands = loaded.entry
                return
            }
            if error.meansHang {
                // The new file is kept out. Without a store that can be written, no copy is kept of the one that is good.
                let good = running.proven(entry.id, from: loaded)
                try? good.code?.keepAsLastGood(of: entry.id, in: modules.manifest.store)
            }
            refuse(entry, number ?? begin(entry), error)
        }
    }

    /// Makes a generation of the code that served before: what came after it has proved to be bad.
    mutating func retreat(_ entry: CatalogEntry, to back: ModuleLife.Loaded) {
        let id = entry.id
        running[module: id].retreat?.bar = .init(
            entry, because: ModuleError(entry, ProbationObstacle.bad(id)))
        self[id].stands = back.entry
        guard let code = back.code, let bad = running[module: id].loaded else { return }
        var number: Int?
        do throws(ModuleError) {
            let maker = modules.loader.maker(disk, inMemory: true)
            let generation = try make(
                maker.checked(code, as: back.entry), by: maker, reusing: code, over: bad, &number)
            try demandTransfer(from: bad, to: generation)
        } catch {
            // It has registered before, so this is rare. The bad one serves on.
            refuse(back.entry, number ?? begin(back.entry), error)
        }
    }

    /// Lets a generation take on the state of the one whose place it takes.
    ///
    /// - Throws: If the state would be lost.
    private mutating func demandTransfer(
        from loaded: ModuleLife.Loaded, to generation: StagedGeneration
    ) throws(ModuleError) {
        guard let old = loaded.lifecycle, old.keepsState, let code = loaded.code else { return }
        let entry = generation.entry
        if generation.lifecycle?.keepsState == true {
            self[entry.id].transfer = StateTransfer(
                from: old, code: code, entry: loaded.entry, to: entry)
        } else if !mayLoseState(entry) {
            throw ModuleError(entry, HandoverError.keepsNone(of: entry.id))
        }
    }

    /// Makes the first generation of a module that a service is bound to now.
    mutating func stageFirst(
        _ entry: CatalogEntry, by outlook: Outlook
    ) throws(ModuleError) {
        var entry = entry
        try ModuleError.naming(entry) {
            guard try modules.freshen(entry, among: outlook.catalog) else { return }
            outlook.catalog.refresh()
            entry = outlook.catalog.entry(entry.id) ?? entry
        }
        // If another thread has taken it, the next round waits for that.
        guard case .claimed = try modules.loader.claim(entry) else { return }
        do throws(ModuleError) {
            try modules.loader.noting(entry) { () throws(ModuleError) in
                try Catalog.knowing(entry, { outlook.catalog }) { entry throws(ModuleError) in
                    try makeFirst(entry, by: modules.loader.maker(outlook))
                }
            }
        } catch {
            modules.loader.board.end(entry.id)
            throw error
        }
        if self[entry.id].staged?.generation.lifecycle == nil {
            modules.loader.board.end(entry.id)
        } else {
            // Whoever asks for it meanwhile waits for it.
            modules.loader.board.start(entry.id)
        }
    }

    private mutating func makeFirst(
        _ entry: CatalogEntry, by maker: GenerationMaker
    ) throws(ModuleError) {
        guard entry.problem == nil else {
            throw ModuleError(entry, UnusableModuleError(entry: entry))
        }
        let checked = try maker.check(entry)
        let known = try running.code(of: checked)
        var number: Int?
        do throws(ModuleError) {
            _ = try make(checked, by: maker, reusing: known, over: nil, &number)
        } catch {
            if let number { running.book.refuse(number, because: error.diagnostics) }
            throw error
        }
    }

    /// Loads a module whose file was checked, lets it register, and writes each step into the book.
    ///
    /// - Parameters:
    ///   - known: The code of the same build, if the process has it already.
    ///   - loaded: The generation that serves now, if there is one.
    ///   - number: Is set to the number of the new generation, as soon as it has one.
    /// - Returns: The generation, which is ``staged`` now.
    private mutating func make(
        _ checked: CheckedModule, by maker: GenerationMaker, reusing known: LoadedCode?,
        over loaded: ModuleLife.Loaded?, _ number: inout Int?
    ) throws(ModuleError) -> StagedGeneration {
        var checked = checked
        let entry = checked.entry
        let begun = begin(entry)
        number = begun
        checked.number = begun
        running.book.advance(begun, to: .checked)
        try modules.loader.bringInInterfaces(of: entry, maker)
        let generation = try maker.make(
            checked, reusing: known, counting: openAccount(entry.id),
            keeping: modules.loader.keep(of: entry.id)
        ) { running.book.advance(begun, to: $0) }
        self[entry.id].staged = ModuleChange.Staged(
            number: begun, generation: generation, isFirst: loaded == nil,
            isPrepared: generation.lifecycle == nil)
        return generation
    }

    /// The services and features that a module answers for, and that nobody would provide any more.
    private func services(lostBy id: String) -> [String] {
        container.served.filter { $0.module == id }.compactMap { request, _ in
            let capability = Capability(request)
            do throws(ProviderError) {
                _ = try disk.catalog.provider(of: capability)
                return nil
            } catch .missing(_, let unusable, _, _, _) where unusable.isEmpty {
                return capability.description
            } catch {
                return nil
            }
        }
    }

    mutating func begin(_ entry: CatalogEntry) -> Int {
        let number = numbers.next()
        running.book.begin(number, of: entry.id, version: entry.declaration?.version)
        return number
    }
}
