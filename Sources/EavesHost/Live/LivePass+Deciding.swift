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
        var toldNow: [String: [Diagnostic]] = [:]
        for (request, module) in container.served where !isStopping(module) {
            let capability = Capability(request)
            guard outcomes.loaded[module] != nil else {
                // The program has linked it in: no file of it is on the disk.
                chosen[capability.key] = module
                continue
            }
            do {
                guard var provider = try outlook.catalog.provider(of: capability) else { continue }
                try announceTransfer(from: module, to: provider)
                if outcomes.loaded[provider.id] == nil, staged[provider.id] == nil {
                    if let error = unawaited[provider.id] { throw error }
                    guard !modules.loader.starts.isStarting(provider.id) else {
                        awaited.insert(provider.id)
                        chosen[capability.key] = module
                        continue
                    }
                    if try modules.freshen(provider, among: outlook.catalog) {
                        outlook.catalog.refresh()
                        provider = try outlook.catalog.provider(of: capability) ?? provider
                    }
                    try stageFirst(provider, by: outlook)
                }
                try demandTransfer(from: module, to: provider)
                chosen[capability.key] = provider.id
            } catch {
                chosen[capability.key] = module
                if case .service(let service, let name) = capability {
                    kept.append(.init(BindingKey(service, name: name), module))
                }
                let problem = HostError(error)
                toldNow[capability.key] = problem.problems.map(\.diagnostic)
                if state.told[capability.key] != toldNow[capability.key] {
                    changes.append(.kept(problem))
                }
            }
        }
        state.told = toldNow
        var decided = outlook
        if !kept.isEmpty {
            var choices = disk.manifest.choices
            choices.demands += kept
            decided = Outlook(disk.manifest.choosing(choices), standing: standing)
        }
        let known = Set(outcomes.loaded.keys).union(staged.keys)
        return (
            decided,
            { [decided] registration in
                let capability = Capability(registration.request)
                if let module = chosen[capability.key] { return module == registration.module }
                if let module = registration.module, !known.contains(module) { return true }
                let provider = try? decided.catalog.provider(of: capability)
                return provider?.id == registration.module
            }
        )
    }
}
