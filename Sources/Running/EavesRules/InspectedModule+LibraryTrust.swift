// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
package import EavesELF
import EavesManifest
import EavesSystem
package import EavesTrust

// Which libraries are loaded with a module, and who can change them. The dynamic linker asks neither.
extension InspectedModule {
    /// The working directory has no say in which libraries are loaded, and the host can tell where they
    /// come from.
    func checkLibraryPaths() throws(ELFError) -> RuleOutcome {
        let own = LinkedLibraries(try report, origin: origin).problems
            .map { UnclearLibraryPath(problem: $0, library: nil) }
        let others = libraries.found.flatMap { library in
            library.problems.map { UnclearLibraryPath(problem: $0, library: library.name) }
        }
        let problems = own + others
        return problems.isEmpty ? .kept : .broken(.libraryPaths(problems))
    }

    /// A library is trusted as the module itself is: its file, and each folder on the way to it. So is each
    /// folder that is searched before the library is found, where another user could put another one.
    ///
    /// The libraries that this process has already are not looked at again.
    func checkLibraryTrust() throws(ELFError) -> RuleOutcome {
        _ = try report
        let trust = manifest?.trust ?? .own
        var found: [UntrustedLibrary] = []
        for place in libraries.places {
            guard let error = trust.error(ofLibrary: place) else { continue }
            let problem = UntrustedLibrary(name: place.library, error: error)
            // A folder that others can write is on the way to all files in it.
            if !found.contains(problem) { found.append(problem) }
        }
        return found.isEmpty ? .kept : .broken(.untrustedLibraries(found))
    }

    /// An executable stack lets an overflow of a buffer run code that came as data, everywhere in the
    /// process.
    func checkExecutableStack() throws(ELFError) -> RuleOutcome {
        let isOwn = try report.wantsExecutableStack
        let names = libraries.found.filter(\.wantsExecutableStack).map(\.name)
        let isAllowed = manifest?.entry(entry.id)?.allowsExecutableStack == true
        guard !isAllowed, isOwn || !names.isEmpty else { return .kept }
        return .broken(.executableStack(libraries: isOwn ? [] : names))
    }
}

extension TrustCheck {
    /// The error of a library's file, or of a folder where a library may be.
    fileprivate func error(ofLibrary place: LibraryPlace) -> TrustError? {
        guard place.isFolder else { return error(of: TrustPlace(place.path, .library)) }
        let error = error(of: TrustPlace(place.path, .way))
        // A folder that is missing is trusted if no other user can create it: links have been
        // followed up to the name that is missing.
        guard case .unresolved(_, let reason) = error, reason.errno.meansMissing else {
            return error
        }
        return self.error(of: TrustPlace(Path.parent(of: reason.path), .way))
    }
}

/// Something that leaves it open which library is loaded.
package struct UnclearLibraryPath: Hashable, Sendable {
    package let problem: LibraryPathProblem
    /// The library that says so; `nil` for the module itself.
    package let library: String?
}

/// A library that others can change, or replace.
package struct UntrustedLibrary: Hashable, Sendable {
    /// The name by which the module, or another library, is linked to it.
    package let name: String
    package let error: TrustError
}
