// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
package import EavesDiagnostics
import EavesManifest

/// The reason why no module can be chosen for a capability. A chain names the modules that led to the
/// question, outermost first.
package enum ProviderError: Error, Sendable {
    /// No usable module provides it. `unusable` modules declare it; the `obstacles` may have hidden
    /// others: modules that cannot be read, directories that cannot be listed.
    case missing(
        SoughtCapability, unusable: [CatalogEntry], obstacles: [Diagnostic], known: Known,
        chain: [String])
    case ambiguous(SoughtCapability, modules: [String], chain: [String])
    /// The manifest binds the service to a module that cannot provide it.
    case unusableBinding(service: String, module: String, entry: CatalogEntry?, chain: [String])

    /// The capability that a module or a person asks for. Messages give its whole name where the word means several services.
    package struct SoughtCapability: Hashable, Sendable, CustomStringConvertible {
        package let capability: Capability
        private let sharesWord: Bool

        init(_ capability: Capability, among services: ServiceNames) {
            self.capability = capability
            sharesWord = services.sharedWords.contains(capability.word)
        }

        /// The word that a person types for it.
        package var word: String {
            if sharesWord, case .service(let service, _) = capability { return service }
            return capability.word
        }

        var isFeature: Bool {
            if case .feature = capability { true } else { false }
        }

        package var description: String {
            switch capability {
            case .feature: capability.description
            case .service(_, let name): name.map { "\(word) named '\($0)'" } ?? word
            }
        }
    }

    /// The words that would have been right in place of a mistyped one.
    package enum Known: Sendable {
        case words([String])
        /// The names that modules or bindings give to implementations of the service.
        case names([String])
    }

    package var unusable: [CatalogEntry] {
        switch self {
        case .missing(_, let unusable, _, _, _): unusable
        case .unusableBinding(_, _, let entry, _): entry.map { [$0] } ?? []
        case .ambiguous: []
        }
    }

    /// The same error for modules that led to the question.
    package func needed(by chain: [String]) -> ProviderError {
        switch self {
        case .missing(let sought, let unusable, let obstacles, let known, _):
            .missing(sought, unusable: unusable, obstacles: obstacles, known: known, chain: chain)
        case .ambiguous(let sought, let modules, _):
            .ambiguous(sought, modules: modules, chain: chain)
        case .unusableBinding(let service, let module, let entry, _):
            .unusableBinding(service: service, module: module, entry: entry, chain: chain)
        }
    }
}

// The error of a decision.
extension Catalog {
    func error(_ choice: Choice, _ capability: Capability, _ chain: [String]) -> ProviderError {
        let sought = ProviderError.SoughtCapability(capability, among: services)
        return switch choice {
        case .unusableBinding(let name, let module):
            .unusableBinding(
                service: BindingKey(sought.word, name: name).text, module: module,
                entry: entry(module), chain: chain)
        case .ambiguous(let modules):
            .ambiguous(sought, modules: modules.map(\.id), chain: chain)
        case .missing(let declaring):
            .missing(
                sought, unusable: declaring, obstacles: obstacles,
                known: known(like: capability), chain: chain)
        case .host, .module, .named:
            preconditionFailure("a decided choice is no error")
        }
    }

    /// The problems that keep modules from declaring what they provide: the first few, and how many more there are.
    private var obstacles: [Diagnostic] {
        let unreadable = entries.filter { $0.declaration == nil && $0.isEnabled }.diagnostics
        let rest = unreadable.dropFirst(5)
        let more = Diagnostic(
            "\(rest.count) more problems keep modules from being read",
            fix: "see them with 'eaves list'", code: rest.first?.code ?? .badData)
        return unreadable.prefix(5) + (rest.isEmpty ? [] : [more]) + diagnostics
    }

    private func known(like capability: Capability) -> ProviderError.Known {
        switch capability {
        case .feature:
            return .words(
                Set(entries.flatMap { $0.declaration?.features.map(\.name) ?? [] }).sorted())
        case .service(let service, let name):
            let provisions = providers(ofAll: service).flatMap { $0.declaration?.provides ?? [] }
            let names =
                provisions.filter { ServiceName.agree($0.service, service) }.compactMap(\.name)
                + manifest.bindings.map(\.key)
                .filter { ServiceName.agree($0.service, service) }.compactMap(\.name)
            if name != nil, !names.isEmpty { return .names(Set(names).sorted()) }
            return .words(Set(entries.flatMap { $0.listedServices(services) }).sorted())
        }
    }
}

// The words.
extension ProviderError: DiagnosableList {
    package var diagnostics: [Diagnostic] {
        switch self {
        case .missing(let sought, let unusable, let obstacles, let known, let chain):
            unusable.isEmpty
                ? [Self.unknown(sought, known: known, chain: chain)] + obstacles
                : unusable.filter { !$0.isEnabled }
                    .map { Self.disabled($0, sought, chain: chain) }
                    + unusable.filter(\.isEnabled).diagnostics
        case .ambiguous(let sought, let modules, _) where sought.isFeature:
            [
                Diagnostic(
                    "\(sought) is offered by \(modules.abridged(by: " and "))",
                    fix: "keep one: 'eaves disable \(modules.last ?? "")'", code: .configuration)
            ]
        case .ambiguous(let sought, let modules, let chain):
            [
                Diagnostic(
                    "\(sought) is provided by \(modules.abridged(by: " and "))"
                        + ", and the manifest binds it to none" + Self.neededBy(chain),
                    fix: "choose one: "
                        + modules.map { "'eaves swap \(sought.word) \($0)'" }
                        .abridgedChoice(),
                    code: .configuration)
            ]
        case .unusableBinding(let service, let module, nil, let chain):
            [
                Diagnostic(
                    "\(service) is bound to '\(module)', which is not there"
                        + Self.neededBy(chain),
                    fix: "add the module, or bind another: 'eaves swap \(service) MODULE'",
                    code: .noProvider)
            ]
        case .unusableBinding(let service, let module, let entry?, let chain):
            if !entry.isAvailable && entry.isEnabled {
                entry.diagnostics
            } else {
                [
                    Diagnostic(
                        "\(service) is bound to '\(module)', which "
                            + (entry.state == .disabled ? "is disabled" : "does not provide it")
                            + Self.neededBy(chain),
                        fix: entry.state == .disabled
                            ? "'eaves enable \(module)', or bind another: "
                                + "'eaves swap \(service) MODULE'"
                            : "bind another: 'eaves swap \(service) MODULE'",
                        code: .noProvider)
                ]
            }
        }
    }

    /// The same error in the words of an application, for a name that nothing has; the error as it is if a
    /// module that cannot be used has the name.
    package func reworded(_ words: String) -> any Diagnosable {
        guard
            case .missing(let sought, let unusable, let obstacles, let known, let chain) = self,
            unusable.isEmpty
        else { return self }
        var diagnostic = Self.unknown(sought, known: known, chain: chain)
        diagnostic.message = words + Self.question(sought, known)
        return obstacles.isEmpty ? diagnostic : RewordedError(diagnostics: [diagnostic] + obstacles)
    }

    private struct RewordedError: DiagnosableList {
        let diagnostics: [Diagnostic]
    }

    /// Returns a question about the words that are like the wanted one.
    private static func question(_ sought: SoughtCapability, _ known: Known) -> String {
        switch (sought.capability, known) {
        case (.service(_, let name?), .names(let names)):
            NearMatch.suffix(for: name, among: names)
        case (_, .words(let words)), (_, .names(let words)):
            NearMatch.suffix(for: sought.word, among: words)
        }
    }

    private static func unknown(
        _ sought: SoughtCapability, known: Known, chain: [String]
    ) -> Diagnostic {
        let question = question(sought, known)
        return switch (sought.capability, known) {
        case (.feature(let name), _):
            Diagnostic(
                "no module offers a feature '\(name)'\(question)",
                fix: "see all features with 'eaves list'", code: .notFound)
        case (.service, .names(let names)):
            Diagnostic(
                "no module provides \(sought)\(question)" + neededBy(chain),
                fix:
                    "choose one of the names \(names.abridged(by: ", ", limit: 12)), or add a module that "
                    + "provides it",
                // A word that a person has chosen while a feature runs is not a need of a module.
                code: chain.isEmpty ? .notFound : .noProvider)
        case (.service, .words):
            Diagnostic(
                "no module provides \(sought)\(question)" + neededBy(chain),
                fix: "add a module that provides it, and see 'eaves list'", code: .noProvider)
        }
    }

    private static func disabled(
        _ entry: CatalogEntry, _ sought: SoughtCapability, chain: [String]
    ) -> Diagnostic {
        let code: FailureCode = sought.isFeature ? .notFound : .noProvider
        return Diagnostic(
            "\(sought) is provided by '\(entry.id)', which is \(entry.state)"
                + neededBy(chain),
            fix: "'eaves enable \(entry.id.shellWord)'", code: code)
    }

    private static func neededBy(_ chain: [String]) -> String {
        let users = Array(chain.reversed())
        return users.isEmpty ? "" : " (needed by \(users.abridged(by: ", needed by ")))"
    }
}
