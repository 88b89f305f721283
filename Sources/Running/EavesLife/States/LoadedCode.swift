// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesLoader
import EavesQuarantine
package import EavesSystem
package import EavesTrust

/// Code that the process has loaded, and the private copy that it was loaded from. It is never unloaded. The code of a
/// module in a process of its own is only the copy: each generation of it is another process.
package final class LoadedCode: Sendable {
    /// `nil` for a module that runs in a process of its own.
    package let module: LoadedModule?
    package var isIsolated: Bool { module == nil }
    /// The digest of everything that it was built from; `nil` if it was not built by `eaves build`.
    let inputs: String?
    /// The private copy that it was loaded from.
    package let copy: PrivateCopy
    /// The content of the file's signature; `nil` if the manifest demands none.
    package let signature: [UInt8]?
    /// The digest of the file.
    package var digest: SHA256Digest { copy.digest }

    /// Keeps a copy of the file in a store, as the last good one of its module.
    package func keepAsLastGood(of module: String, in store: Store) throws {
        try LastGoodStore(store).keep(digest, of: module, signature: signature) {
            try copy.reopened().content()
        }
    }

    /// Names the generation that this code is from now on: a crash of it is recorded under this number.
    package func name(_ generation: Int) { CrashWatch.number(generation, copy.ownPath) }

    package init(
        _ module: LoadedModule?, of entry: CatalogEntry, from copy: PrivateCopy,
        signedBy signature: [UInt8]?
    ) {
        self.module = module
        inputs = entry.note?.tag.inputs
        self.copy = copy
        self.signature = signature
    }
}
