// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesManifest
import EavesSystem

/// The memory of a live host from look to look.
struct LiveState: Sendable {
    var book = GenerationBook()
    var trials = TrialBook()
    /// Is called when calls alone may have ended a window.
    var wake: @Sendable () -> Void = {}
    /// What was taken on where nobody could be told.
    var untold: [HostChange] = []
    /// The modules that were refused as they are on the disk, by their ids: they are not tried again before
    /// something about them has changed.
    var refused: [String: CatalogEntry] = [:]
    /// Those of them that a fresh process would take on, by the ids of the modules.
    var awaiting: [String: (entry: CatalogEntry, identity: FileIdentity)] = [:]
    var unfinished = UnfinishedFiles()
    /// The problems that were told already, by the capabilities that they are about.
    var told: [String: [Diagnostic]] = [:]
    /// The modules that could not take on each other's state. It is not tried again before something about them
    /// has changed.
    var untransferred: [StateTransfer.Pair: StateTransfer.Refusal] = [:]
    /// The problems of the manifest on the disk.
    var manifestProblem: [Diagnostic] = []
    /// The values that decide between modules that share a binding, without those that a look has added; `nil` before the
    /// first look.
    var choices: BindingChoices?

    /// Enters the modules in the book that were loaded without it.
    mutating func enter(_ loaded: [String: LoadOutcomes.Loaded], _ numbers: GenerationNumbers) {
        for (id, module) in loaded.sorted(by: { $0.key < $1.key }) where book.serving(id) == nil {
            let number = numbers.next()
            module.code?.name(number)
            book.enter(serving: number, of: id, version: module.entry.declaration?.version)
        }
    }
}
