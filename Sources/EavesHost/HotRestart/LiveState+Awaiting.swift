// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesLoader
import EavesSystem

// The files that a running host does not take on, and that a fresh process would.
extension LiveState {
    /// Notes a module that was refused as it is on the disk, if the reason lies in this process alone.
    mutating func awaits(_ entry: CatalogEntry, because error: ModuleError) {
        guard error.isOfProcess, let status = entry.status else { return }
        awaiting[entry.id] = (entry, FileIdentity(status))
    }
}

extension LiveModules {
    /// The modules whose present files only a fresh process can take on, by their ids.
    var awaitingFreshProcess: [String: FileIdentity] {
        reading { state in
            state.awaiting.filter { state.refused[$0.key]?.entry == $0.value.entry }
                .mapValues(\.identity)
        }
    }
}

extension ModuleError {
    /// Whether a fresh process would take the file.
    fileprivate var isOfProcess: Bool {
        if case .linkerIsHeld? = reason as? LoadError { return true }
        return (reason as? SwapObstacle)?.isOfProcess ?? false
    }
}

extension SwapObstacle {
    /// Whether a fresh process would take the file.
    fileprivate var isOfProcess: Bool {
        switch self {
        case .sameTypes, .interface, .tooMany: true
        // Somebody would miss what the file no longer provides, in any process.
        case .takesAway: false
        }
    }
}
