// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
package import EavesInterface
import Glibc

/// Loads a module's code and lets it register: `dlopen`, `dlsym`, one call.
///
/// The process can be ended by what it loads; everything that can be known before has to be checked
/// before. Not to be called on two threads at once.
package enum Loader {
    /// Loads the file and calls its entry point.
    ///
    /// - Parameters:
    ///   - file: A copy that nobody else writes to; see ``ShadowCopy``.
    ///   - registrar: Where the module registers.
    ///   - log: Takes what the module logs meanwhile.
    package static func load(
        _ file: String, registrar: any Registrar & AnyObject,
        log: @escaping (LogMessage) -> Void
    ) throws(LoadFailure) {
        try open(file).register(in: registrar, log: log)
    }

    /// Loads the file. Its constructors run.
    ///
    /// The module is never unloaded: Swift keeps pointers into it, and the next dynamic cast would
    /// follow them.
    ///
    /// - Parameter file: A copy that nobody else writes to; see ``ShadowCopy``.
    package static func open(_ file: String) throws(LoadFailure) -> LoadedModule {
        let name = LinkerName.of(file)
        // In place: handing the name over as it is would make an array of it first.
        let handle = name.withCString { dlopen($0, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) }
        guard let handle else {
            throw LoadFailure(linkerMessage: lastLinkerError(), file: name)
        }
        guard let symbol = dlsym(handle, EAVES_ENTRY) else { throw .noEntryPoint }
        // SAFETY: `eaves.h` fixes the type of the symbol of this name; the code stays mapped.
        return LoadedModule(entry: unsafeBitCast(symbol, to: eaves_entry.self))
    }

    private static func lastLinkerError() -> String {
        dlerror().map { String(cString: $0) } ?? "the dynamic linker gave no reason"
    }
}
