// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesManifest
import EavesRegistry

// Makes generations, which nobody can ask for anything yet.
extension LivePass {
    /// Makes the next generation of a loaded module.
    mutating func stage(_ entry: CatalogEntry, over loaded: LoadOutcomes.Loaded) {
        var number: Int?
        do throws(ModuleError) {
            if let obstacle = state.book.obstacle(to: entry.id) {
                throw ModuleError(entry, obstacle)
            }
            let lost = services(lostBy: entry.id)
            if !lost.isEmpty { throw ModuleError(entry, SwapObstacle.takesAway(entry.id, lost)) }
            let maker = modules.loader.maker(disk, inMemory: true)
            guard let generation = try make(entry, by: maker, over: loaded, &number) else {
                // Somebody touched the file, or signed it.
                outcomes.loaded[entry.id]?.entry = entry
                return
            }
            guard let old = loaded.lifecycle, old.keepsState, let code = loaded.code else { return }
            if generation.lifecycle?.keepsState == true {
                transfers[entry.id] = StateTransfer(
                    from: old, code: code, entry: loaded.entry, to: entry)
            } else if !mayLoseState(entry) {
                throw ModuleError(entry, HandoverError.keepsNone(of: entry.id))
            }
        } catch {
            refuse(entry, number ?? begin(entry), error)
        }
    }

    /// Makes the first generation of a module that a service is bound to now.
    mutating func stageFirst(
        _ entry: CatalogEntry, by outlook: Outlook
    ) throws(ModuleError) {
        if let earlier = outcomes.failed[entry.id] { throw earlier }
        var number: Int?
        do throws(ModuleError) {
            guard entry.problem == nil else {
                throw ModuleError(entry, UnusableModuleError(entry: entry))
            }
            let maker = modules.loader.maker(outlook)
            let generation = try make(entry, by: maker, over: nil, &number)
            // Whoever asks for it meanwhile waits for it.
            if generation?.lifecycle != nil { modules.loader.starts.begin(entry.id) }
        } catch {
            if let number { state.book.refuse(number, because: error.diagnostics) }
            outcomes.failed[entry.id] = error
            throw error
        }
    }

    /// Checks a module's file, loads it and lets it register, and writes each step into the book.
    ///
    /// - Parameters:
    ///   - loaded: The generation that serves now, if there is one.
    ///   - number: Is set to the number of the new generation, as soon as it has one.
    /// - Returns: The generation, which is ``staged`` now; `nil` if it is the one that serves.
    private mutating func make(
        _ entry: CatalogEntry, by maker: GenerationMaker, over loaded: LoadOutcomes.Loaded?,
        _ number: inout Int?
    ) throws(ModuleError) -> StagedGeneration? {
        let checked = try maker.check(entry)
        let known = try outcomes.code(of: checked)
        if let loaded, known === loaded.code, entry.settings == loaded.entry.settings { return nil }
        let begun = begin(entry)
        number = begun
        state.book.advance(begun, to: .checked)
        try outcomes.bringInInterfaces(of: entry, maker)
        var (book, outcomes) = (state.book, outcomes)
        defer { (state.book, self.outcomes) = (book, outcomes) }
        let generation = try maker.make(
            checked, reusing: known, keeping: { outcomes.keep($0, of: entry.id) }
        ) { book.advance(begun, to: $0) }
        staged[entry.id] = Staged(
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

    private mutating func begin(_ entry: CatalogEntry) -> Int {
        let number = numbers.next()
        state.book.begin(number, of: entry.id, version: entry.declaration?.version)
        return number
    }
}
