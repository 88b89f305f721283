// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
package import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesLoader
package import EavesManifest

/// A module that is being verified, and what its file says.
package struct Subject: Sendable {
    package let entry: CatalogEntry
    /// `nil` for a file that no manifest is asked about.
    let manifest: Manifest?
    let profile: HostProfile
    let file: ModuleFile
    /// The symbols and libraries, beside this host and the other modules.
    let view: Result<BinaryView, ELFError>

    /// Reads the module's file.
    ///
    /// - Parameters:
    ///   - entry: The module.
    ///   - manifest: Where the modules that it needs are found.
    ///   - catalog: All modules of the manifest.
    package init(_ entry: CatalogEntry, in manifest: Manifest?, among catalog: Catalog?) {
        self.entry = entry
        self.manifest = manifest
        profile = .current.allowing(compilers: manifest?.compilers ?? [])
        file = ModuleFile(entry.file)
        let copies = manifest.map { ShadowCopy.folder(in: $0.store) }
        view = Result { () throws(ELFError) in
            try BinaryView(of: entry.file, entry, among: catalog, origin: copies)
        }
    }

    /// What keeps the file from being a module for any host.
    var ownProblem: CatalogProblem? {
        // A host that is all that the file wants.
        let host = HostProfile(
            abi: file.tag?.abi ?? profile.abi, interface: file.tag?.interface ?? profile.interface,
            compiler: file.tag?.compiler ?? profile.compiler,
            machine: file.machine ?? profile.machine)
        return file.problem(in: host)
    }

    /// A failure, in the words that the catalog has for it; passed if there is no problem.
    func finding(_ problem: CatalogProblem?) -> Finding {
        guard let problem else { return .passed }
        var entry = entry
        entry.problem = problem
        return .failed(entry.diagnostics)
    }

    /// A failure, in the words that the loader has for it.
    func failure(_ error: any Error) -> Finding {
        .failed(ModuleError(entry, error).diagnostics)
    }

    /// Whether a module that was built like this fits.
    func fit(of tag: BuildTag) -> Finding {
        finding(profile.compatibilityProblem(of: tag).map { .incompatible($0) })
    }

    /// A failure, if there is a problem with the binary.
    func finding(_ problem: (BinaryView) -> (any Error)?) -> Finding {
        switch view {
        case .success(let view): problem(view).map(failure) ?? .passed
        case .failure(let error): failure(error)
        }
    }
}
