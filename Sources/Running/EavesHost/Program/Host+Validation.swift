// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
public import EavesDiagnostics
import EavesInterface
public import EavesLife
import EavesManifest
import EavesModules
package import EavesRegistry
import EavesRules

extension Host {
    /// Finds every mistake in how the manifest and its modules fit together, for all features at once:
    /// what is missing, ambiguous, circular, or cannot be used.
    ///
    /// Compares what the modules declare, which runs none of their code.
    ///
    /// No module has to provide what the program itself provides.
    ///
    /// - Parameter isLoading: Whether to load the modules too, which runs the code that registers, and to
    ///   check what they register. Modules that were loaded stay loaded.
    /// - Returns: The problems, each once, in an order that is the same for the same modules; none if everything fits.
    /// - Throws: ``HostError`` if modules had to be built first, and could not be.
    public func validate(loading isLoading: Bool = false) throws(HostError) -> [Diagnostic] {
        try mistakes(loading: isLoading).map(\.diagnostic)
    }

    /// Finds every mistake as ``validate(loading:)`` does, with what a report about them says besides.
    package func mistakes(loading isLoading: Bool) throws(HostError) -> [Mistake] {
        try HostError.wrapping {
            var known: Set<Diagnostic> = []
            var found: [Mistake] = []
            for problem in try findProblems(loading: isLoading) {
                if case .provider(.missing(let sought, _, _, _, _)) = problem,
                    isOwn(sought.capability)
                {
                    continue
                }
                var lack: (CatalogEntry, InterfaceProblem)?
                if case .interface(let problem, let module) = problem { lack = (module, problem) }
                for diagnostic in problem.diagnostics {
                    if known.insert(diagnostic).inserted {
                        found.append(
                            Mistake(diagnostic: diagnostic, kind: problem.kind, lack: lack))
                    }
                    // The first message is about the module, the others are about its interface.
                    lack = nil
                }
            }
            return found
        }
    }

    package struct Mistake: Sendable {
        package let diagnostic: Diagnostic
        /// The kind of mistake in one word, for JSON.
        package let kind: String
        /// The module, and the reason why it cannot have an interface, if that is the mistake.
        package let lack: (module: CatalogEntry, problem: InterfaceProblem)?
    }

    /// Warnings about packages of which several modules have a copy, about definitions that modules cannot have to
    /// themselves, and about needs that they do not declare, each with its kind for JSON. Reads the symbols of all modules
    /// that can be used, and runs no code of them.
    package func warnOfModules() -> [(String, Diagnostic)] {
        let (catalog, manifest) = (modules.catalog, modules.manifest)
        let entries = catalog.entries.filter { $0.state == .ready }
        return SharedCode.all(among: entries).map { ("shared-code", Diagnostic($0)) }
            + entries.flatMap {
                InspectedModule($0, among: catalog, in: manifest, host: .current).warnings
            }
    }

    /// Finds every mistake as ``validate(loading:)`` does, in an order that is the same for the same modules.
    package func findProblems(loading isLoading: Bool = false) throws -> [HostProblem] {
        let declared = DeclarationValidation(modules.catalog, modules.manifest)
        let problems = declared.problems
        guard isLoading else { return problems }
        let errors = try modules.loadAll(into: container).filter {
            // No launch loads them together.
            guard let other = ($0.reason as? SwapObstacle)?.definer else { return true }
            return declared.isChosen($0.id) && declared.isChosen(other)
        }
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
    private let manifest: Manifest
    /// The module of each bound service, for a process that has not drawn: the same problems each time.
    private let bindings: ChosenBindings
    /// The available modules, in the order of their ids.
    private let modules: [CatalogEntry]
    /// The provider of each service that a module requires, or the reason why there is none. Very many
    /// modules may require the same service.
    private let providers: [String: Result<CatalogEntry?, ProviderError>]
    /// The results of choosing each module that shares a binding, or has a named one.
    private let shared:
        [(key: BindingKey, module: String, result: Result<CatalogEntry?, ProviderError>)]

    init(_ catalog: Catalog, _ manifest: Manifest) {
        self.catalog = catalog
        self.manifest = manifest
        var choices = manifest.choices
        choices.chance = nil
        let bindings = manifest.chosen(by: choices)
        self.bindings = bindings
        modules = catalog.entries.filter(\.isAvailable)
        let required = Set(modules.flatMap { $0.declaration?.requires ?? [] })
        providers = Dictionary(
            uniqueKeysWithValues: required.map { service in
                let provider = Result { () throws(ProviderError) in
                    try catalog.provider(required: service, bound: bindings)
                }
                return (service, provider)
            })
        shared = manifest.bindings.flatMap { binding in
            // Only the manifest may know the name of a named binding.
            let modules = binding.key.name == nil ? [] : binding.modules
            return (binding.weights?.eligible ?? modules).map { module in
                let provider = Result { () throws(ProviderError) in
                    try catalog.provider(
                        of: .service(binding.service, name: binding.key.name),
                        bound: ChosenBindings(demanding: binding.key, module))
                }
                return (binding.key, module, provider)
            }
        }
    }

    /// All problems, in a fixed order: of the manifest, of modules, of features and services, and circles.
    var problems: [HostProblem] {
        catalog.diagnostics.map(HostProblem.manifest) + unusable + unloadable
            + features + requirements + provisions + unusableShares + circles
    }

    /// Whether a launch may load a module: the bindings choose no other ones for all that it provides.
    func isChosen(_ id: String) -> Bool {
        guard let declaration = catalog.entry(id)?.declaration, declaration.features.isEmpty,
            !declaration.provides.isEmpty,
            !manifest.bindings.contains(where: { $0.modules.contains(id) })
        else { return true }
        return declaration.provides.contains {
            let provider = try? catalog.provider(
                of: .service($0.service, name: $0.name), bound: bindings)
            return provider == nil || provider?.id == id
        }
    }

    /// Modules that share a binding, or have a named one, and cannot provide the service.
    private var unusableShares: [HostProblem] {
        shared.compactMap { share in
            guard case .failure(let error) = share.result else { return nil }
            // That a module needs the chosen one is a problem of its own.
            let isReported =
                share.key.name == nil && bindings[share.key]?.module == share.module
                && providers.keys.contains { ServiceName.agree($0, share.key.service) }
            return isReported ? nil : .provider(error)
        }
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

    /// The reasons why a launch would not load the files of modules, which it finds without running their code.
    private var unloadable: [HostProblem] {
        modules.filter { $0.state == .ready }.flatMap { entry in
            InspectedModule(entry, among: catalog, in: manifest, host: .current).launchDiagnostics
        }.map(HostProblem.module)
    }

    private var features: [HostProblem] {
        let offered = modules.flatMap { $0.declaration?.features.map(\.name) ?? [] }
        let named = [manifest.launch, manifest.open].compactMap { $0 }
        return Set(offered + named).sorted().compactMap { problem(.feature($0)) }
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

    /// Services that no module requires, and that a caller could not get.
    private var provisions: [HostProblem] {
        let provided = modules.flatMap { $0.declaration?.provides ?? [] }
        let unrequired = Set(provided.filter { $0.name != nil || providers[$0.service] == nil })
        return unrequired.sorted { $0.description < $1.description }.compactMap {
            problem(.service($0.service, name: $0.name))
        }
    }

    private func problem(_ capability: Capability) -> HostProblem? {
        do throws(ProviderError) {
            _ = try catalog.provider(of: capability, bound: bindings)
            return nil
        } catch {
            return .provider(error)
        }
    }

    /// One problem for each requirement that closes a circle.
    private var circles: [HostProblem] {
        let requires = Dictionary(
            modules.map { ($0.id, $0.declaration?.requires ?? []) },
            uniquingKeysWith: { first, _ in first })
        // A module, and the requirement that led to it.
        typealias Step = (id: String, by: Requirement?)
        let graph = NeedsGraph<Step>(from: modules.map { ($0.id, nil) }, id: \.id) { step in
            (requires[step.id] ?? []).flatMap { service in
                possibleProviders(of: service).filter { $0 != step.id }.map { provider in
                    let by = Requirement(module: step.id, service: service, provider: provider)
                    return (provider, by)
                }
            }
        }
        return graph.ways.map { .circle($0.compactMap(\.by)) }
    }

    /// The ids of the modules that can be chosen for a service without a name, each once.
    private func possibleProviders(of service: String) -> [String] {
        var found: [String] = []
        if case .success(let chosen?) = providers[service] { found.append(chosen.id) }
        for share in shared where share.key.name == nil {
            guard ServiceName.agree(share.key.service, service),
                case .success(let entry?) = share.result, !found.contains(entry.id)
            else { continue }
            found.append(entry.id)
        }
        return found
    }
}

/// A declared requirement and its provider.
package struct Requirement: Hashable, Sendable {
    package let module: String
    package let service: String
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

extension HostProblem: DiagnosableList {
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
