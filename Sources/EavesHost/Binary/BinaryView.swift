// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesELF
package import EavesCatalog
import EavesLoader
import EavesSystem
import Synchronization

/// A module's binary beside this host and the other modules. Each check is a function that gives the
/// problem or `nil`; none runs code of the module, and none loads a library.
package struct BinaryView: Sendable {
    package let entry: CatalogEntry
    package let report: BinaryReport
    /// All modules; `nil` where a file is looked at alone.
    package let catalog: Catalog?
    /// What was found of the libraries that the process does not have yet.
    package let libraries: LibrarySearch.Outcome

    /// - Parameters:
    ///   - file: The file that is looked at: the module's, or its private copy.
    ///   - entry: The module.
    ///   - catalog: All modules; without it nothing is said about other ones.
    ///   - origin: The folder that the module is loaded from, for `$ORIGIN` in run paths; `nil` if
    ///     that is not known.
    package init(
        of file: String, _ entry: CatalogEntry, among catalog: Catalog?, origin: String?
    ) throws(ELFError) {
        self.entry = entry
        self.catalog = catalog
        report = try BinaryReport(of: file)
        // As a rule, as of the second module: the libraries of Swift and no others.
        if report.needed.allSatisfy(Self.isVetted) {
            libraries = LibrarySearch.Outcome()
        } else {
            let search = LibrarySearch(places: .host) { HostLibraries.has($0) }
            libraries = search.run(LinkedLibraries(report, origin: origin))
        }
    }

    /// The names of libraries that the process has and that are known to be no modules: those of
    /// Swift, as a rule, and the same for each module.
    private static let vetted = Mutex<Set<String>>([])

    static func isVetted(_ name: String) -> Bool {
        vetted.withLock { $0.contains(name) }
    }

    static func vet(_ name: String) {
        vetted.withLock { _ = $0.insert(name) }
    }
}

extension LibraryPlaces {
    /// Those of this process.
    package static let host = {
        let folders = HostLibraries.folders
        return LibraryPlaces(
            host: folders.host, environment: folders.environment, system: folders.system)
    }()
}
