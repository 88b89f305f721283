// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
package import EavesInterface

// SAFETY: holds the address of code that stays mapped until the process ends.
/// A module whose code is loaded, and which can be let register.
package struct LoadedModule: @unchecked Sendable {
    let entry: eaves_entry

    /// Calls the entry point.
    ///
    /// - Parameters:
    ///   - registrar: Where the module registers.
    ///   - table: The host that it is shown.
    ///   - log: Takes what the module logs meanwhile.
    package func register(
        in registrar: any Registrar & AnyObject, shown table: HostTable = .current,
        log: @escaping (LogMessage) -> Void
    ) throws(LoadFailure) {
        let (code, fault) = EntryCall.run(entry, registrar: registrar, shown: table, log: log)
        if let fault { throw .refused(message: fault, code: code) }
        guard code == 0 else { throw .refused(message: nil, code: code) }
    }
}
