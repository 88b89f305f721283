// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
package import EavesDiagnostics
import EavesJSON
package import EavesManifest
package import EavesSystem

/// A directory, module or service that the manifest refers to, and that is not as the manifest says.
package enum ManifestReferenceProblem: Hashable, Sendable {
    /// One of `directories`, as written, cannot be listed.
    case directory(String, ManifestPlace, SystemError)
    /// A service is bound to a module that is nowhere.
    case unknownModule(String, ManifestPlace, known: [String])
    /// A service is bound to a module that does not provide it; `providers` do.
    case notProvided(String, by: String, ManifestPlace, providers: [String])
    /// No module provides the service or requires it.
    case unknownService(String, ManifestPlace, known: [String])

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
        return manifest.bindings.compactMap { binding in
            let (service, place) = (binding.service, manifest.place(of: binding))
            guard let index = indexByID[binding.module] else {
                return .unknownModule(binding.module, place, known: indexByID.keys.sorted())
            }
            guard let declaration = entries[index].declaration, !declaration.provides(service)
            else { return nil }
            guard known.contains(ServiceName.word(service)) else {
                return .unknownService(service, place, known: known.sorted())
            }
            let providers = Set(declarations.filter { $0.provides(service) }.map(\.id)).sorted()
            return .notProvided(service, by: binding.module, place, providers: providers)
        }
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
        case .notProvided(let service, let id, let place, let providers):
            "\(place): \(id.quoted) does not provide \(service), "
                + (providers.isEmpty
                    ? "and neither does any other module"
                    : "these modules do: \(providers.abridged(by: ", "))")
        case .unknownService(let service, let place, let known):
            "\(place): no module provides \(service) or requires it"
                + NearMatch.suffix(for: service, among: known)
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
        case .notProvided(let service, _, _, let providers):
            providers.first.map { "run 'eaves swap \(service) \($0)'" }
                ?? "remove the binding, or add a module that provides \(service)"
        case .unknownService:
            "correct its name, or remove the binding"
        }
    }

    private var code: FailureCode {
        switch self {
        case .directory(_, _, let error): error.diagnostics.first?.code ?? .inputOutput
        case .unknownModule: .notFound
        case .notProvided, .unknownService: .configuration
        }
    }
}
