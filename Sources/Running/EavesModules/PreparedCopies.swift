// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
import EavesLife
package import EavesLoader
import Synchronization

/// The private copies of modules that a process loads when it may open no file any more, checked while it still could.
///
/// Safe from any thread.
package final class PreparedCopies: Sendable {
    private let checked = Mutex<[CatalogEntry: CheckedModule]>([:])

    func add(_ module: CheckedModule) { checked.withLock { $0[module.entry] = module } }

    /// Hands the copy of a module to its first caller.
    func take(_ entry: CatalogEntry) -> CheckedModule? {
        checked.withLock { $0.isEmpty ? nil : $0.removeValue(forKey: entry) }
    }
}

extension LazyLoader {
    /// Makes and checks the private copies of everything that a module needs, directly or through others: the process can
    /// load it then without opening a file.
    ///
    /// - Returns: The copies. One that cannot be made is missing, and loading its module says why.
    package func prepareNeeds(of entry: CatalogEntry) -> [PrivateCopy] {
        let maker = loader.maker(outlook)
        return needs(of: entry).compactMap { module in
            guard let checked = try? maker.check(module) else { return nil }
            loader.prepared.add(checked)
            return checked.copy
        }
    }

    /// The modules that one needs by its declaration, and the interfaces of all of them.
    private func needs(of entry: CatalogEntry) -> [CatalogEntry] {
        let all = catalog.needs(of: entry).modules
        return catalog.interfaces(of: all) + all.dropLast()
    }
}
