// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
package import EavesDiagnostics
import EavesJSON
package import EavesManifest
package import EavesSystem

/// A directory, module or service that the manifest refers to, and that is not as the manifest says.
package enum ManifestReferenceProblem: Hashable, Sendable {
    case directory(String, ManifestPlace, SystemError)
    case unknownModule(String, ManifestPlace, known: [String])
    /// A service is bound to a module that does not provide it; `providers` do. The binding may be shared
    /// with other modules.
    case notProvided(
        BindingKey, by: String, ManifestPlace, providers: [String], isShared: Bool)
    case unknownService(String, ManifestPlace, known: [String])
    /// The word of a service is bound, and another binding names the service in full, and decides.
    case repeatedService(BindingKey, ManifestPlace, decided: ManifestPlace)

    /// Compares the manifest's bindings with what the modules declare.
    ///
    /// A module that cannot be read causes no second message here.
    static func all(
        in manifest: Manifest, entries: [CatalogEntry], indexByID: [String: Int]
    ) -> [ManifestReferenceProblem] {
        guard !manifest.bindings.isEmpty else { return [] }
        let declarations = entries.compactMap(\.declaration)
        let known = Set(
            declarations.flatMap { $0.provides.map(\.service) + $0.requires }.map(ServiceName.word))
        let qualified = manifest.bindings.filter { $0.key != $0.key.word }
        return manifest.bindings.flatMap { binding in
            let (key, place) = (binding.key, manifest.place(of: binding))
            // If two services have the word, it is about the one that its module provides.
            let bound = binding.modules.compactMap { indexByID[$0] }.map { entries[$0].declaration }
            var problems: [ManifestReferenceProblem] = qualified.filter { other in
                other.key.word == key && bound.contains { $0?.answers(for: other.key) == true }
            }.map { .repeatedService(key, place, decided: manifest.place(of: $0)) }
            for module in binding.modules {
                guard let index = indexByID[module] else {
                    problems.append(.unknownModule(module, place, known: indexByID.keys.sorted()))
                    continue
                }
                guard let declaration = entries[index].declaration, !declaration.answers(for: key)
                else { continue }
                guard known.contains(ServiceName.word(key.service)) else {
                    problems.append(.unknownService(key.service, place, known: known.sorted()))
                    break
                }
                let providers = Set(declarations.filter { $0.answers(for: key) }.map(\.id)).sorted()
                problems.append(
                    .notProvided(
                        key, by: module, place, providers: providers,
                        isShared: binding.weights != nil))
            }
            return problems
        }
    }
}

extension ModuleDeclaration {
    /// Whether a service can be bound to the module: a named one to a module that provides it without a
    /// name, too.
    package func answers(for key: BindingKey) -> Bool {
        guard let name = key.name else { return provides(key.service) }
        return declares(.service(key.service, name: name))
            || declares(.service(key.service, name: nil))
    }
}

// The words.
extension ManifestReferenceProblem {
    package var diagnostic: Diagnostic {
        Diagnostic(message, fix: fix, code: code)
    }

    private var message: String {
        switch self {
        case .directory(let name, let place, let error):
            "\(place): cannot list the directory \(name.quoted): \(error.errno)"
        case .unknownModule(let id, let place, let known):
            "\(place): there is no module \(id.quoted)"
                + NearMatch.suffix(for: id, among: known)
        case .notProvided(let key, let id, let place, let providers, _):
            "\(place): \(id.quoted) does not provide \(key.service), "
                + (providers.isEmpty
                    ? "and neither does any other module"
                    : "these modules do: \(providers.abridged(by: ", "))")
        case .unknownService(let service, let place, let known):
            "\(place): no module provides \(service) or requires it"
                + NearMatch.suffix(for: service, among: known)
        case .repeatedService(let key, let place, let decided):
            "\(place): \(key.text) is bound twice, and this binding has no effect: \(decided) goes before it"
        }
    }

    private var fix: String {
        switch self {
        case .directory(let name, _, let error):
            error.errno == .noSuchFile
                ? "create \(name.quoted), or take it out of 'directories'"
                : "make \(name.quoted) a directory that can be read"
        case .unknownModule:
            "bind it to one that 'eaves list' shows, or put the module into a directory"
        case .notProvided(let key, _, _, let providers, let isShared):
            isShared && !providers.isEmpty
                ? "give its weight to \(providers.abridgedChoice()), or remove it from the binding"
                : providers.first.map { "run 'eaves swap \(key.text.shellWord) \($0)'" }
                    ?? "remove the binding, or add a module that provides \(key.service)"
        case .unknownService:
            "correct its name, or remove the binding"
        case .repeatedService: "remove one of the two"
        }
    }

    private var code: FailureCode {
        switch self {
        case .directory(_, _, let error): error.diagnostic.code
        case .unknownModule: .notFound
        case .notProvided, .unknownService, .repeatedService: .configuration
        }
    }
}
