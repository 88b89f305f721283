// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesManifest
import EavesRegistry

extension LivePass {
    /// Decides for each service that somebody has asked for which module provides it from now on, and loads
    /// that module. Where none can, the one that provides it now stays.
    ///
    /// - Returns: The outlook that the host goes by from now on, and whether a registration is the one that
    ///   answers.
    mutating func decide() -> (Outlook, (Registration) -> Bool) {
        let outlook = standing.isEmpty ? disk : Outlook(disk.manifest, standing: standing)
        var kept: [BindingChoices.Demand] = []
        var chosen: [String: String] = [:]
        var toldNow: [String: Obstacle] = [:]
        for (request, module) in container.served where !self[module].isStopping {
            let capability = Capability(request)
            guard running[module: module].loaded != nil else {
                // The program has linked it in: no file of it is on the disk.
                chosen[capability.key] = module
                continue
            }
            func tell(_ error: any Error) {
                let problem = HostError(error)
                toldNow[capability.key] = .init(
                    subject: capability.word, problems: problem.problems.map(\.diagnostic))
                let isKnown =
                    running.isRepeated(error)
                    || running[service: capability.key].told == toldNow[capability.key]
                if !isKnown {
                    changes.append(.kept(problem))
                }
            }
            do {
                guard let wanted = try outlook.catalog.provider(of: capability) else { continue }
                try checkProbation(of: capability, wanted.id)
                try announceTransfer(from: module, to: wanted)
                guard let provider = try secure(wanted, by: outlook) else {
                    // The next round decides. Until then, what was told holds.
                    chosen[capability.key] = module
                    toldNow[capability.key] = running[service: capability.key].told
                    continue
                }
                try demandTransfer(from: module, to: provider)
                chosen[capability.key] = provider.id
                if let obstacle = share(capability, with: provider.id, by: outlook) {
                    tell(obstacle)
                }
            } catch {
                chosen[capability.key] = module
                if let key = capability.bindingKey { kept.append(.init(key, module)) }
                tell(error)
            }
        }
        running.tell(toldNow)
        var decided = outlook
        if !kept.isEmpty {
            var choices = disk.manifest.choices
            choices.demands += kept
            decided = Outlook(disk.manifest.choosing(choices), standing: standing)
        }
        self.chosen = chosen
        let known = Set(running.loaded.keys).union(staged.keys)
        return (
            decided,
            { [decided, chosen] registration in
                let capability = Capability(registration.request)
                if let module = chosen[capability.key] { return module == registration.module }
                if let module = registration.module, !known.contains(module) { return true }
                let provider = try? decided.catalog.provider(of: capability)
                return provider?.id == registration.module
            }
        )
    }

    /// Sees to it that a module is loaded, or on its way.
    ///
    /// - Returns: The module as it is now; `nil` if it has to be made or awaited, so that the next round decides.
    mutating func secure(
        _ module: CatalogEntry, by outlook: Outlook
    ) throws(ModuleError) -> CatalogEntry? {
        if running[module: module.id].loaded != nil { return module }
        if let one = self[module.id].staged { return one.generation.entry }
        if modules.loader.board.isLoading(module.id), self[module.id].obstacle == nil {
            self[module.id].isAwaited = true
        } else {
            try want(module, by: outlook)
        }
        return nil
    }
}
