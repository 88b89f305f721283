// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
package import EavesLoader
import EavesQuarantine
package import EavesSystem
package import EavesTrust

/// The life of one module in a host: its state, and what stays with it in each of them.
package struct ModuleLife: Sendable {
    package internal(set) var state = State.absent
    /// The generations of it that the host has seen.
    package internal(set) var book = GenerationBook()
    /// All code of it that the host has ever loaded, oldest first: it stays in the process.
    package internal(set) var codes: [LoadedCode] = []
    /// The states of other modules that it could not take on. That is not tried again before something about either has
    /// changed.
    package internal(set) var untaken: [StateTransfer.Refusal] = []

    package init() {}

    package indirect enum State: Sendable {
        case absent
        /// The host has not loaded it yet. It restores this state before it starts, from the process before.
        case awaited([UInt8])
        /// It could not be loaded. That is not tried again before something about it has changed. It may still have a state
        /// to restore.
        case failed(ModuleError, [UInt8]?)
        case serving(Serving)
    }

    package struct Serving: Sendable {
        package internal(set) var module: Loaded
        package internal(set) var file = File.taken
        /// The module's file is judged, and the generation before it is kept; `nil` if it is not judged.
        package internal(set) var trial: TrialCase?
    }

    /// The state of the file that a loaded module has on the disk.
    package indirect enum File: Sendable {
        /// The host has loaded it, or goes by what it has loaded.
        case taken
        /// Another process may still be writing it. A look has first seen it as it is at this time.
        case unfinished(FileIdentity, since: ContinuousClock.Instant)
        case refused(Refusal)
        /// It has to wait until the one before was judged, and that was told.
        case waiting(CatalogEntry)
        /// It was judged to be bad: the module goes back with the next switch.
        case goingBack(Retreat)
    }

    package struct Loaded: Sendable {
        package internal(set) var entry: CatalogEntry
        /// Its code; `nil` for an interface module.
        package internal(set) var code: LoadedCode?
        /// Begins and ends its work; `nil` if it has none.
        package internal(set) var lifecycle: GenerationLifecycle?

        package init(
            entry: CatalogEntry, code: LoadedCode? = nil, lifecycle: GenerationLifecycle? = nil
        ) {
            self.entry = entry
            self.code = code
            self.lifecycle = lifecycle
        }

        /// Whether other modules hold its types, so that it cannot be exchanged.
        package var isInterface: Bool { entry.declaration?.layer == .interface }

        var keepsState: Bool { lifecycle?.keepsState == true }
    }

    /// A module as it was when it was refused, and why. It is not tried again before something about it has changed, or its
    /// time has come.
    package struct Refusal: Sendable {
        let error: ModuleError
        var again: Again?
        package var entry: CatalogEntry { error.entry }
        package var problems: [Diagnostic] { error.diagnostics }

        var holds: Bool { again?.isDue != true }
    }

    /// When an exchange is tried again that was put off, because calls of a module with state did not end.
    package struct Again: Sendable {
        package let tries: Int
        /// `nil` once its time has come.
        private(set) var next: ContinuousClock.Instant?

        init(after before: Again?, at now: ContinuousClock.Instant = .now) {
            tries = (before?.tries ?? 0) + 1
            next = now + .seconds(min(60, 1 << min(tries - 1, 6)))
        }

        var isDue: Bool { next == nil }

        /// - Returns: Whether the time has come just now.
        mutating func look(at now: ContinuousClock.Instant) -> Bool {
            guard let next, next <= now else { return false }
            self.next = nil
            return true
        }
    }

    package struct Retreat: Sendable {
        /// `nil` for what only the store has a copy of: that takes the place of the bad file.
        package let to: ModuleLife.Loaded?
        /// The refusal that keeps the bad file out as long as it is the same, or a newer one that was refused; `nil` before
        /// the look that goes back, or if the newer one is to be tried.
        package internal(set) var bar: Refusal?
    }
}

// The parts of the present state.
extension ModuleLife {
    package internal(set) var serving: Serving? {
        get { if case .serving(let serving) = state { serving } else { nil } }
        set { state = newValue.map(State.serving) ?? .absent }
    }

    package var isLoaded: Bool { if case .serving = state { true } else { false } }
    package var loaded: Loaded? { serving?.module }
    package var trial: TrialCase? { serving?.trial }
    package var failure: ModuleError? {
        if case .failed(let error, _) = state { error } else { nil }
    }

    /// The state that it restores before it starts for the first time, from the process before.
    package var handed: [UInt8]? {
        switch state {
        case .awaited(let snapshot): snapshot
        case .failed(_, let snapshot): snapshot
        case .absent, .serving: nil
        }
    }

    /// The refusal of its file, as long as that holds.
    package var refusal: Refusal? {
        guard case .refused(let refusal)? = serving?.file, refusal.holds else { return nil }
        return refusal
    }

    package var retreat: Retreat? {
        if case .goingBack(let retreat)? = serving?.file { retreat } else { nil }
    }

    var isUnfinished: Bool { if case .unfinished? = serving?.file { true } else { false } }
    var isAbsent: Bool { if case .absent = state { true } else { false } }

    /// Whether the host knows nothing of it.
    var isEmpty: Bool { isAbsent && book.records.isEmpty && codes.isEmpty && untaken.isEmpty }
}

extension ModuleError {
    /// The file, if the reason lies in this process alone, so that a fresh one would take it.
    var freshProcess: FileIdentity? {
        isOfProcess ? entry.status.map { FileIdentity($0) } : nil
    }

    /// Whether files that were exchanged may have used up what this one lacks.
    var meansWear: Bool { (reason as? LoadError)?.meansWear == true }

    private var isOfProcess: Bool {
        if case .linkerIsHeld? = reason as? LoadError { return true }
        if meansWear { return true }
        return switch reason as? SwapObstacle {
        case .sameTypes?, .interface?, .awaits?, .tooMany?: true
        // A fresh process would have those of another module as well.
        case .processWide(let id, let definer, _)?: id == definer
        // In any process, a client would miss what the file no longer provides.
        case .takesAway?, nil: false
        }
    }
}

/// Code that the process has loaded, and the private copy that it was loaded from. It is never unloaded. The code of a
/// module in a process of its own is only the copy: each generation of it is another process.
package final class LoadedCode: Sendable {
    /// `nil` for a module that runs in a process of its own.
    package let module: LoadedModule?
    package var isIsolated: Bool { module == nil }
    /// The digest of everything that it was built from; `nil` if it was not built by `eaves build`.
    let inputs: String?
    package let copy: PrivateCopy
    /// The content of the file's signature; `nil` if the manifest demands none.
    package let signature: [UInt8]?
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
