// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesJSON
import EavesSystem

extension ManifestFault {
    package var diagnostic: Diagnostic {
        Diagnostic(message, fix: fix, code: code)
    }

    private var message: String {
        switch self {
        case .directory(let name, let place, let error):
            "\(place): cannot list the directory \(name.quoted): \(error.errno)"
        case .unknownModule(let id, let place, let known):
            "\(place): no module \(id.quoted)"
                + NearMatch.suffix(for: id, among: known)
        case .notProvided(let service, let id, let place, let providers):
            "\(place): \(id.quoted) does not provide \(service), "
                + (providers.isEmpty
                    ? "no module does"
                    : "these do: \(providers.joined(separator: ", "))")
        case .unknownService(let service, let place, let known):
            "\(place): no module provides \(service) or asks for it"
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
