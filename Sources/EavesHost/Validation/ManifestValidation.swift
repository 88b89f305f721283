// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesManifest

/// Compares what the modules of a manifest say of themselves with each other. Runs no module's code.
struct ManifestValidation {
    private let choices: Choices
    private let launch: String?
    /// Those that can be had, in the order of their ids.
    private let modules: [CatalogEntry]

    init(_ choices: Choices, manifest: Manifest) {
        self.choices = choices
        launch = manifest.launch
        modules = choices.catalog.entries.filter(\.isAvailable)
    }

    /// All problems, in a fixed order: of the manifest, of modules, features, services; and circles.
    var problems: [HostProblem] {
        choices.catalog.diagnostics.map(HostProblem.manifest)
            + choices.catalog.entries.filter { $0.isEnabled && !$0.isAvailable }
            .map(HostProblem.module)
            + features + requirements + provisions + circles
    }

    private var features: [HostProblem] {
        let offered = modules.flatMap { $0.declaration?.features.map(\.name) ?? [] }
        return Set(offered + [launch].compactMap { $0 }).sorted().compactMap {
            problem(.feature($0), for: [])
        }
    }

    /// What somebody asks for.
    private var requirements: [HostProblem] {
        modules.flatMap { entry in
            (entry.declaration?.requires ?? []).compactMap {
                problem(.service($0, name: nil), for: [entry.id])
            }
        }
    }

    /// What nobody asks for by declaration, and who asks all the same would not get.
    private var provisions: [HostProblem] {
        let required = Set(modules.flatMap { $0.declaration?.requires ?? [] })
        let provided = modules.flatMap { $0.declaration?.provides ?? [] }
        let needs = Set(
            provided.filter { $0.name != nil || !required.contains($0.service) })
        return needs.sorted { $0.description < $1.description }.compactMap {
            problem(.service($0.service, name: $0.name), for: [])
        }
    }

    private func problem(_ need: Need, for chain: [String]) -> HostProblem? {
        do throws(PlanProblem) {
            _ = try choices.provider(of: need, for: chain)
            return nil
        } catch {
            return .plan(error)
        }
    }

    /// One for each requirement that closes a circle.
    private var circles: [HostProblem] {
        var walk = Walk()
        for entry in modules {
            walk.requirements[entry.id] = (entry.declaration?.requires ?? []).compactMap {
                service in
                guard let found = try? choices.provider(of: .service(service, name: nil)),
                    found.id != entry.id
                else { return nil }
                return Requirement(module: entry.id, service: service, provider: found.id)
            }
        }
        for entry in modules { walk.visit(entry.id) }
        return walk.circles.map { .circle($0) }
    }

    /// Goes from module to module, each once.
    private struct Walk {
        var requirements: [String: [Requirement]] = [:]
        private(set) var circles: [[Requirement]] = []
        private var path: [Requirement] = []
        private var seen: Set<String> = []

        mutating func visit(_ module: String) {
            if let start = path.firstIndex(where: { $0.module == module }) {
                circles.append(Array(path[start...]))
            }
            guard seen.insert(module).inserted else { return }
            for requirement in requirements[module] ?? [] {
                path.append(requirement)
                visit(requirement.provider)
                path.removeLast()
            }
        }
    }
}
