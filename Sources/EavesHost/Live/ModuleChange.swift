// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesRegistry

/// The things that one look of a live host does with one module. ``LivePass`` alone writes here, and drops it with the
/// switch: ``ModuleLife`` has everything that later looks have to know.
struct ModuleChange {
    /// The module is loaded, and was compared with its file.
    var isCompared = false
    /// It stays as it is, whatever its file is now.
    var stands: CatalogEntry?
    /// It is loaded, and switched off.
    var isStopping = false
    /// Another thread loads it, and has to end that before the look can go on.
    var isAwaited = false
    /// A generation of it is made before the look goes on.
    var making: Making?
    /// A generation of it has registered.
    var staged: Staged?
    /// It takes on a state with the switch.
    var transfer: StateTransfer?
    /// It gets no state although it could: it may be lost.
    var isStateless = false
    /// It cannot be had in this look.
    var obstacle: ModuleError?

    /// Whether nothing has to happen to it before the switch.
    var isReady: Bool {
        !isAwaited && making == nil && staged?.isPrepared != false && transfer?.isPrepared != false
    }

    /// A generation to make.
    enum Making {
        /// The next one of a loaded module.
        case next(CatalogEntry, over: ModuleLife.Loaded)
        /// The one that served before, because what came after it has proved to be bad.
        case back(CatalogEntry, to: ModuleLife.Loaded)
        /// The first one of a module that a service is bound to now.
        case first(CatalogEntry, Outlook)
    }

    /// A generation that has registered, and that nobody can ask for anything yet.
    struct Staged {
        let number: Int
        let generation: StagedGeneration
        /// Whether no other generation of its module serves.
        let isFirst: Bool
        /// Whether it has started, if it has something to start, and is healthy.
        var isPrepared: Bool
    }
}
