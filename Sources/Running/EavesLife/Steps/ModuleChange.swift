// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesRegistry

/// The things that one look does with one module. They are dropped with the switch: ``ModuleLife`` has everything that
/// later looks have to know.
package struct ModuleChange: Sendable {
    var course = Course.open
    var handing = Handing.none

    package indirect enum Course: Sendable {
        /// The look has not decided about it.
        case open
        /// It was compared with its file, and goes by that.
        case compared
        /// It stays as it is, whatever its file is now.
        case stands(CatalogEntry)
        /// It stays as it is until the state of another module has gone over.
        case deferred(CatalogEntry)
        case stops
        /// A step is to be taken for it.
        case wants(Look.Step)
        /// A generation of it has registered. If it goes back, it stands as this entry, whatever its file is now.
        case made(Staged, stands: CatalogEntry?)
        /// This look does without it.
        case lacking(ModuleError)
    }

    package indirect enum Handing: Sendable {
        case none
        /// It takes on a state with the switch.
        case takes(StateTransfer)
        /// It gets no state of this module although it could: that may be lost.
        case nothing(of: String)
    }

    /// A generation that has registered, and that no caller reaches yet.
    package struct Staged: Sendable {
        package let number: Int
        package let module: ModuleLife.Loaded
        /// Whether no other generation of its module serves.
        let isFirst: Bool
        /// Whether it has started, if it has something to start, and is healthy.
        var isPrepared: Bool
        /// The account of the calls of its factories; `nil` if nothing is judged.
        let account: CallAccount?

        package init(
            number: Int, module: ModuleLife.Loaded, isFirst: Bool, isPrepared: Bool,
            account: CallAccount? = nil
        ) {
            self.number = number
            self.module = module
            self.isFirst = isFirst
            self.isPrepared = isPrepared
            self.account = account
        }
    }
}

extension ModuleChange {
    package var staged: Staged? { if case .made(let one, _) = course { one } else { nil } }
    package var transfer: StateTransfer? {
        if case .takes(let transfer) = handing { transfer } else { nil }
    }

    var stands: CatalogEntry? {
        switch course {
        case .stands(let entry), .deferred(let entry): entry
        case .made(_, let entry): entry
        default: nil
        }
    }

    var step: Look.Step? { if case .wants(let step) = course { step } else { nil } }
    var obstacle: ModuleError? { if case .lacking(let error) = course { error } else { nil } }
    var isStopping: Bool { if case .stops = course { true } else { false } }
    /// The module whose state is lost.
    var lost: String? { if case .nothing(let module) = handing { module } else { nil } }
    var isOpen: Bool { if case .open = course { true } else { false } }

    var isDeferred: Bool { if case .deferred = course { true } else { false } }

    /// Whether it takes on a state, or may still turn out to.
    var mayMoveState: Bool {
        step != nil || transfer != nil || staged.map { $0.isFirst && lost == nil } ?? false
    }

    var isEmpty: Bool { if case .none = handing { isOpen } else { false } }
}
