// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesManifest
import EavesQuarantine
import EavesRegistry
import EavesSystem
import EavesWatch
import Synchronization

/// Keeps a host in step with the disk: looks at the manifest and the modules, and takes on what has changed.
///
/// Each look compares the disk with what is loaded, whatever led to it. So it makes no difference how many
/// changes there were, or which of them were noticed.
///
/// Safe from any thread. One look is taken at a time.
final class LiveModules: Sendable {
    let modules: LazyLoader
    let container: Container
    let numbers: GenerationNumbers
    let state = Mutex(LiveState())
    /// Wakes whoever follows when a window of a probation has had its calls.
    let waker = Waker()
    /// The trials that the store knows of.
    let recorded = Mutex<[Trial]>([])
    /// Is held from a look until its changes were told.
    private let telling = RecursiveLock()

    init(_ modules: LazyLoader, in container: Container) {
        self.modules = modules
        self.container = container
        numbers = GenerationNumbers(modules.manifest.store)
    }

    /// Looks once, and tells of each change. When it returns, all changes that earlier looks have taken on were
    /// told, too, whichever thread took them on.
    ///
    /// - Parameter tell: May call the host.
    func catchUp(telling tell: (HostChange) -> Void) -> [HostChange] {
        telling.withLock {
            let changes = catchUp()
            changes.forEach(tell)
            return changes
        }
    }

    /// Looks once.
    ///
    /// - Returns: Everything that was taken on, and everything new that could not be, in the order in which
    ///   it happened.
    private func catchUp() -> [HostChange] {
        let illnesses = illnesses
        return state.withLock { state in
            var changes = state.untold
            state.untold = []
            state.wake = wake
            judge(&state, illnesses, &changes)
            let manifest = self.manifest(&state, &changes)
            modules.loader.exclusively { outcomes in
                state.enter(outcomes.loaded, numbers)
                var pass = LivePass(
                    modules, container, numbers, outcomes: outcomes, state: state,
                    disk: Outlook(manifest))
                pass.run()
                (outcomes, state) = (pass.outcomes, pass.state)
                changes += pass.changes
            }
            changes += state.book.retireDrained().map { .retired(HostGeneration($0)) }
            state.book.forgetOldest()
            record(state.trials)
            return changes
        }
    }

    /// All generations that the host knows, in the order of their numbers.
    var generations: [HostGeneration] {
        state.withLock { state in
            modules.loader.exclusively { state.enter($0.loaded, numbers) }
            _ = state.book.retireDrained()
            return state.book.records.map(HostGeneration.init)
        }
    }

    /// Whether time alone may bring something new: calls may be under way in a generation that no longer
    /// serves, or a file is unfinished.
    var isWaiting: Bool {
        state.withLock { state in
            !state.unfinished.isEmpty || state.book.records.contains { $0.state == .draining }
        }
    }

    /// The places on the disk that say what the host is to do.
    var places: WatchedPlaces { modules.manifest.watchedPlaces }

    /// The manifest as it is on the disk; the one that the host goes by if that one cannot be used.
    private func manifest(_ state: inout LiveState, _ changes: inout [HostChange]) -> Manifest {
        do throws(ManifestError) {
            var choices = state.choices ?? modules.manifest.choices
            choices.sharesCalls = true
            state.choices = choices
            let manifest = try Manifest.load(modules.manifest.path)
            state.manifestProblem = []
            return state.trials.overruling(manifest.choosing(choices).drawn)
        } catch {
            // A manifest is often wrong for a moment: while somebody edits it.
            let problem = error.diagnostics
            if state.manifestProblem != problem {
                state.manifestProblem = problem
                changes.append(.kept(HostError(error)))
            }
            return modules.manifest
        }
    }
}

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
    /// The files that somebody may still be writing, by the ids of their modules, and when each was first
    /// seen like that.
    var unfinished: [String: (identity: FileIdentity, since: ContinuousClock.Instant)] = [:]
    /// How long a file may stay unfinished before it is refused.
    static let patience = Duration.seconds(1)
    /// The problems that were told already, by the capabilities that they are about.
    var told: [String: [Diagnostic]] = [:]
    /// The problems of the manifest on the disk.
    var manifestProblem: [Diagnostic] = []
    /// The values that decide between modules that share a binding, without those that a look has added; `nil` before the
    /// first look.
    var choices: BindingChoices?

    /// Enters the modules in the book that were loaded without it.
    mutating func enter(_ loaded: [String: LoadOutcomes.Loaded], _ numbers: GenerationNumbers) {
        for (id, module) in loaded.sorted(by: { $0.key < $1.key }) where book.serving(id) == nil {
            book.enter(
                serving: numbers.next(), of: id, version: module.entry.declaration?.version)
        }
    }
}
