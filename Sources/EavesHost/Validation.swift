// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
import EavesManifest
package import EavesRegistry

extension Host {
    /// Every mistake in how the manifest and its modules fit together, for all features at once.
    ///
    /// Compares what the modules declare, which runs none of their code.
    ///
    /// - Parameter isLoading: Whether to load the modules too, which runs the code that registers, and to
    ///   check what they register; see `Container.validate(providing:)`.
    /// - Returns: The problems, in an order that is the same for the same modules.
    package func findProblems(loading isLoading: Bool = false) throws -> [HostProblem] {
        let declared = DeclarationValidation(
            modules.catalog, features: [modules.manifest.launch, modules.manifest.open])
        let problems = declared.problems
        guard isLoading else { return problems }
        let errors = try modules.loadAll(into: container)
        let registered = container.validate { [catalog = modules.catalog] request in
            // The problems of the declarations say why something is not provided.
            do throws(ProviderError) {
                _ = try catalog.provider(of: Capability(request))
                return true
            } catch {
                return false
            }
        }
        return problems + errors.map(HostProblem.loading)
            + registered.map(HostProblem.registration)
    }
}

/// Compares what the modules of a manifest declare with each other. Runs no module's code.
private struct DeclarationValidation {
    private let catalog: Catalog
    private let namedFeatures: [String]
    /// The available modules, in the order of their ids.
    private let modules: [CatalogEntry]
    /// The provider of each service that a module requires, or the reason why there is none. Very many
    /// modules may require the same service.
    private let providers: [String: Result<CatalogEntry?, ProviderError>]

    /// - Parameter features: The features that the manifest names, for launching and for links.
    init(_ catalog: Catalog, features: [String?]) {
        self.catalog = catalog
        namedFeatures = features.compactMap { $0 }
        modules = catalog.entries.filter(\.isAvailable)
        let required = Set(modules.flatMap { $0.declaration?.requires ?? [] })
        providers = Dictionary(
            uniqueKeysWithValues: required.map { service in
                let provider = Result { () throws(ProviderError) in
                    try catalog.provider(required: service)
                }
                return (service, provider)
            })
    }

    /// All problems, in a fixed order: of the manifest, of modules, of features and services, and circles.
    var problems: [HostProblem] {
        catalog.diagnostics.map(HostProblem.manifest) + unusable
            + features + requirements + provisions + circles
    }

    /// The problems of modules that are switched on, those with interfaces last.
    private var unusable: [HostProblem] {
        var others: [CatalogEntry] = []
        var problems: [HostProblem] = []
        for entry in catalog.entries where entry.isEnabled && !entry.isAvailable {
            guard entry.isUsed, case .interfaces(let lacking) = entry.problem else {
                others.append(entry)
                continue
            }
            problems += lacking.map { .interface($0, of: entry) }
        }
        return others.diagnostics.map(HostProblem.module) + problems
    }

    private var features: [HostProblem] {
        let offered = modules.flatMap { $0.declaration?.features.map(\.name) ?? [] }
        return Set(offered + namedFeatures).sorted().compactMap {
            problem(.feature($0))
        }
    }

    /// Services that a module requires and cannot get.
    private var requirements: [HostProblem] {
        modules.flatMap { entry in
            (entry.declaration?.requires ?? []).compactMap { service in
                guard case .failure(let error) = providers[service] else { return nil }
                return .provider(error.needed(by: [entry.id]))
            }
        }
    }

    /// Services that no module requires, and that nobody could get who asks for them all the same.
    private var provisions: [HostProblem] {
        let provided = modules.flatMap { $0.declaration?.provides ?? [] }
        let unrequired = Set(
            provided.filter { $0.name != nil || providers[$0.service] == nil })
        return unrequired.sorted { $0.description < $1.description }.compactMap {
            problem(.service($0.service, name: $0.name))
        }
    }

    private func problem(_ capability: Capability) -> HostProblem? {
        do throws(ProviderError) {
            _ = try catalog.provider(of: capability)
            return nil
        } catch {
            return .provider(error)
        }
    }

    /// One problem for each requirement that closes a circle.
    private var circles: [HostProblem] {
        var walk = Walk()
        for entry in modules {
            walk.requirements[entry.id] = (entry.declaration?.requires ?? []).compactMap {
                service in
                guard case .success(let found?) = providers[service], found.id != entry.id else {
                    return nil
                }
                return Requirement(module: entry.id, service: service, provider: found.id)
            }
        }
        for entry in modules { walk.visit(entry.id) }
        return walk.circles.map { .circle($0) }
    }

    /// Goes from module to module, through each once.
    private struct Walk {
        var requirements: [String: [Requirement]] = [:]
        private(set) var circles: [[Requirement]] = []
        private var path: [Requirement] = []
        private var seen: Set<String> = []

        mutating func visit(_ module: String) {
            guard seen.insert(module).inserted else {
                // Only a module that was seen can be on the path.
                if let start = path.firstIndex(where: { $0.module == module }) {
                    circles.append(Array(path[start...]))
                }
                return
            }
            for requirement in requirements[module] ?? [] {
                path.append(requirement)
                visit(requirement.provider)
                path.removeLast()
            }
        }
    }
}

/// That a module declares to require a service, and which module provides it.
package struct Requirement: Hashable, Sendable {
    /// The id of the module that requires the service.
    package let module: String
    package let service: String
    /// The id of the module that provides the service.
    package let provider: String
}

/// A mistake in how a manifest, its modules, and their declarations fit together.
package enum HostProblem: Sendable {
    /// Something is wrong with the manifest itself: a directory, a binding.
    case manifest(Diagnostic)
    /// A module that is switched on cannot be used.
    case module(Diagnostic)
    /// A module that is switched on cannot have an interface that it names.
    case interface(InterfaceProblem, of: CatalogEntry)
    /// A feature or service has no provider, or several.
    case provider(ProviderError)
    /// Modules require services of each other in a circle, each of them of the next one.
    case circle([Requirement])
    /// A module cannot be loaded.
    case loading(ModuleError)
    /// The registrations of modules do not fit together.
    case registration(ValidationProblem)

    /// The kind of mistake in one word, for JSON.
    package var kind: String {
        switch self {
        case .manifest: "manifest"
        case .module, .interface: "module"
        case .provider(.missing), .registration(.missing): "missing"
        case .provider(.ambiguous), .registration(.ambiguous): "ambiguous"
        case .provider(.unusableBinding): "binding"
        case .circle, .registration(.cycle): "cycle"
        case .loading: "load"
        case .registration(.captive): "captive"
        }
    }
}

extension HostProblem: Diagnosable {
    package var diagnostics: [Diagnostic] {
        switch self {
        case .manifest(let diagnostic), .module(let diagnostic): [diagnostic]
        case .interface(let problem, let module): problem.diagnostics(of: module)
        case .provider(let error): error.diagnostics
        case .circle(let requirements): [Self.circle(requirements)]
        case .loading(let error): error.diagnostics
        case .registration(let problem): problem.diagnostics
        }
    }

    private static func circle(_ requirements: [Requirement]) -> Diagnostic {
        let steps = requirements.map {
            "'\($0.module)' requires \(ServiceName.word($0.service)) of '\($0.provider)'"
        }
        return Diagnostic(
            "modules require each other in a circle: " + steps.abridged(by: ", "),
            fix:
                "move what both need into a module of its own, or ask for one of them later, through "
                + "a provider, and leave it out of 'requires'", code: .configuration)
    }
}
