// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesLife
import EavesLoader
import EavesManifest
import EavesModules
import EavesRegistry

// Makes generations, which no caller reaches yet.
extension LivePass {
    /// Makes the next generation of a loaded module.
    mutating func makeNext(_ entry: CatalogEntry, over loaded: ModuleLife.Loaded) {
        var number: Int?
        do throws(ModuleError) {
            let maker = modules.loader.maker(look.disk, inMemory: true)
            let checked = try maker.check(entry)
            let known = try running.code(of: entry, with: checked.copy.digest)
            if known === loaded.code, entry.settings == loaded.entry.settings,
                entry.hasSamePlace(as: loaded.entry)
            {
                // The file was touched, or signed.
                running.touch(entry)
                return
            }
            try make(checked, by: maker, reusing: known, over: loaded, &number)
        } catch {
            if look.isChanging(entry, error, &running) {
                if let number { running.refuse(number, because: error) }
                return
            }
            if error.meansHang {
                // The new file is kept out. Without a store that can be written, no copy is kept of the one that is good.
                let good = running.proven(entry.id, from: loaded)
                try? good.code?.keepAsLastGood(of: entry.id, in: modules.manifest.store)
            }
            refuse(entry, number, error)
        }
    }

    /// Makes a generation of the code that served before: what came after it has proved to be bad.
    mutating func goBack(_ entry: CatalogEntry, to back: ModuleLife.Loaded) {
        let id = entry.id
        running.bar(entry)
        look.keeps(back.entry)
        guard let code = back.code, let bad = running[module: id].loaded else { return }
        var number: Int?
        do throws(ModuleError) {
            let maker = modules.loader.maker(look.disk, inMemory: true)
            try make(
                maker.checked(code, as: back.entry), by: maker, reusing: code, over: bad, &number)
        } catch {
            // It has registered before, so this is rare. The bad one serves on.
            refuse(back.entry, number, error)
        }
    }

    /// Makes the first generation of a module that a service is bound to now.
    mutating func makeFirst(_ entry: CatalogEntry, by outlook: Outlook) throws(ModuleError) {
        var entry = entry
        // The outlooks of later rounds know what this catalog knows.
        let catalog = look.disk.catalog
        try ModuleError.naming(entry) {
            guard try modules.freshen(entry, among: catalog) else { return }
            catalog.refresh()
            if outlook.catalog !== catalog { outlook.catalog.refresh() }
            entry = catalog.entry(entry.id) ?? entry
        }
        let (id, board) = (entry.id, modules.loader.board)
        // If another thread has taken it, the next round waits for that.
        guard case .claimed = try modules.loader.claim(entry) else { return }
        do throws(ModuleError) {
            try modules.loader.noting(entry) { () throws(ModuleError) in
                try Catalog.knowing(entry, { catalog }) { entry throws(ModuleError) in
                    try makeFirst(entry, by: modules.loader.maker(outlook))
                }
            }
        } catch {
            board.end(id)
            throw error
        }
        if look[id].staged?.module.lifecycle == nil {
            board.end(id)
        } else {
            // Threads that ask for it meanwhile wait for it.
            claimed.insert(id)
            board.start(id)
        }
    }

    private mutating func makeFirst(
        _ entry: CatalogEntry, by maker: GenerationMaker
    ) throws(ModuleError) {
        guard entry.problem == nil else {
            throw ModuleError(entry, UnusableModuleError(entry: entry))
        }
        let checked = try maker.check(entry)
        let known = try running.code(of: entry, with: checked.copy.digest)
        var number: Int?
        do throws(ModuleError) {
            try make(checked, by: maker, reusing: known, over: nil, &number)
        } catch {
            if let number { running.refuse(number, because: error) }
            throw error
        }
    }

    /// Loads a module whose file was checked, lets it register, and writes each step into the book.
    ///
    /// - Parameters:
    ///   - known: The code of the same build, if the process has it already.
    ///   - loaded: The generation that serves now, if there is one.
    ///   - number: The number of the new generation, as soon as it has one.
    private mutating func make(
        _ checked: CheckedModule, by maker: GenerationMaker, reusing known: LoadedCode?,
        over loaded: ModuleLife.Loaded?, _ number: inout Int?
    ) throws(ModuleError) {
        var checked = checked
        let entry = checked.entry
        let begun = begin(entry)
        number = begun
        checked.number = begun
        running.advance(begun, to: .checked)
        try modules.loader.bringInInterfaces(of: entry, maker)
        let generation = try maker.make(
            checked, reusing: known, counting: openAccount(entry.id),
            keeping: modules.loader.keep(of: entry.id)
        ) { running.advance(begun, to: $0) }
        if loaded == nil { try modules.loader.checkHandedState(of: generation) }
        let one = ModuleChange.Staged(
            number: begun, module: generation.loaded, isFirst: loaded == nil,
            isPrepared: generation.lifecycle == nil)
        try look.made(one, over: loaded, &running)
        made[begun] = generation
    }

    /// The account for the factories of a generation that is being made; `nil` if nothing is judged.
    private func openAccount(_ id: String) -> CallAccount? {
        guard look.disk.manifest.probation.isOn else { return nil }
        let account = CallAccount()
        running.open(account, for: id)
        return account
    }

    private func begin(_ entry: CatalogEntry) -> Int {
        let number = numbers.next()
        running.begin(number, of: entry)
        return number
    }

    /// Refuses a new file of a loaded module.
    ///
    /// - Parameter number: The number of its generation; `nil` if it has none yet.
    mutating func refuse(_ entry: CatalogEntry, _ number: Int?, _ error: ModuleError) {
        let number = number ?? begin(entry)
        look.refuse(entry, number, error, &running)
        // The same code may have been tried with other settings.
        if let code = running[module: entry.id].loaded?.code,
            let serving = running.book.serving(entry.id)
        {
            code.name(serving.number)
        }
    }
}
