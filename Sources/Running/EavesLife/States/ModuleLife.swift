// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
package import EavesLoader
package import EavesManifest
import EavesQuarantine
package import EavesRegistry
package import EavesSystem
package import EavesTrust

/// The states of one module in a host, besides those of its generations.
package struct ModuleLife: Sendable {
    @Rare package internal(set) var loaded: Loaded?
    /// It could not be loaded. That is not tried again before something about it has changed.
    @Rare package internal(set) var failure: ModuleError?
    /// The state that it restores before it starts for the first time, from the process before.
    package internal(set) var handed: [UInt8]?
    /// All code of it that the host has ever loaded, oldest first: it stays in the process.
    package internal(set) var codes: [LoadedCode] = []
    /// The module's file is refused as it is now. It is not tried again before something about it has changed.
    @Rare package internal(set) var refusal: Refusal?
    /// Another process may still be writing the module's file.
    @Rare package internal(set) var unfinished: Unfinished?
    /// The new file is judged, and the generation before it is kept.
    @Rare package internal(set) var trial: TrialCase?
    /// A newer file has to wait until the one before was judged, and that was told.
    @Rare package internal(set) var waiting: CatalogEntry?
    /// The file was judged to be bad: the module goes back with the next switch.
    @Rare package internal(set) var retreat: Retreat?
    /// The module may go back without the state of a bad one that cannot give it.
    package internal(set) var losesState = false
    /// The exchange that is to hand over state waits for calls to end.
    @Rare package internal(set) var postponement: Postponement?
    /// The modules whose state it could not take on, by their ids. That is not tried again before something about
    /// either has changed.
    package internal(set) var untransferred: [String: StateTransfer.Refusal] = [:]
    /// The account of the generation that the present look has made.
    package internal(set) var account: CallAccount?

    package var isLoaded: Bool { $loaded }

    var isEmpty: Bool {
        !$loaded && !$failure && handed == nil && codes.isEmpty && !$refusal && !$unfinished
            && !$trial && !$waiting && !$retreat && !losesState && !$postponement
            && untransferred.isEmpty && account == nil
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
    }

    /// A module as it was when it was refused, and why.
    package struct Refusal: Sendable {
        package let entry: CatalogEntry
        let error: ModuleError
        package var problems: [Diagnostic] { error.diagnostics }

        init(_ entry: CatalogEntry, because error: ModuleError) {
            self.entry = entry
            self.error = error
        }
    }

    package struct Unfinished: Sendable {
        package let identity: FileIdentity
        /// When a look has first seen it as it is.
        package let since: ContinuousClock.Instant
    }

    package struct Postponement: Sendable {
        /// The module that takes on the state, as it was.
        package let entry: CatalogEntry
        package let from: String
        package let tries: Int
        /// When it is tried again; `nil` once it is.
        package internal(set) var next: ContinuousClock.Instant?
    }

    package struct Retreat: Sendable {
        package let to: ModuleLife.Loaded
        /// The refusal that keeps the bad file out as long as it is the same; `nil` before the look that goes back.
        package internal(set) var bar: Refusal?
    }

    /// Whether a file that cannot be read whole may still become so. Notes that it was seen: a file that grows gets
    /// more time with each piece, and one that stays as it is does not.
    ///
    /// - Parameter limit: How long it may stay as it is.
    mutating func isWorthWaiting(
        for identity: FileIdentity, within limit: Duration, at now: ContinuousClock.Instant = .now
    ) -> Bool {
        if let unfinished, unfinished.identity == identity { return now - unfinished.since < limit }
        unfinished = Unfinished(identity: identity, since: now)
        return true
    }
}

/// The states of one service, or of one feature, in a live host.
package struct ServiceLife: Sendable {
    /// The host has told why it does not take on what the disk wants.
    @Rare package internal(set) var told: Obstacle?
    /// The service is bound to another module, which is judged.
    @Rare package internal(set) var trial: TrialCase?
    package internal(set) var shares: CallShares?
    /// Those of them that are judged.
    package internal(set) var canaries: [TrialCase] = []
    /// They share it from this look on: the service's word, until that is told.
    package internal(set) var sharedAnew: String?
    /// A binding was taken back although the manifest cannot be written: what it demands stays out.
    @Rare package internal(set) var ruling: Ruling?
    /// A binding was taken back, and the service comes from this module again as soon as the host has looked. The host does
    /// not judge it for that.
    package internal(set) var retreat: String?

    var isEmpty: Bool {
        !$told && !$trial && shares == nil && canaries.isEmpty && sharedAnew == nil && !$ruling
            && retreat == nil
    }

    /// The module that provides a service in spite of the manifest's binding.
    package struct Ruling: Sendable {
        package let key: BindingKey
        package let bound: Binding.Target?
        package let module: String
    }
}

/// The state of the manifest in a live host.
package struct ManifestLife: Sendable {
    /// The file that was looked at last.
    package internal(set) var identity = FileIdentity.none
    /// The problems of the file, for which the host goes by the one before.
    package internal(set) var problems: [Diagnostic] = []
    /// The values that decide between modules that share a binding, without those that a look has added; `nil` before
    /// the first look.
    package internal(set) var choices: BindingChoices?
}

package typealias Obstacle = RunningHost.Standing.Obstacle

/// A part of a life that most lives do not have. It lies in a box of its own, so that a life is copied as a few
/// references: with all parts in it, the life of a module took 4,600 bytes, which each look at it copied.
@propertyWrapper
package struct Rare<Value: Sendable>: Sendable {
    // An object of a generic class would do as well, and the runtime would make a class for each kind of part: 40 µs at
    // each start of a program.
    private var box: (any Sendable)?

    package init(wrappedValue: Value?) { box = wrappedValue }

    package var wrappedValue: Value? {
        get { box.map { $0 as! Value } }
        set { box = newValue }
    }

    /// Whether the life has this part.
    package var projectedValue: Bool { box != nil }
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
        case .sameTypes?, .interface?, .tooMany?: true
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
