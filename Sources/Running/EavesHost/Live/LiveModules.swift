// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesLife
import EavesLoader
import EavesManifest
import EavesModules
import EavesQuarantine
import EavesRegistry
import EavesSystem
import Synchronization

/// The part of a host that keeps it in step with the disk: it looks at the manifest and the modules, and takes on what has
/// changed.
///
/// Each look compares the disk with what is loaded, whatever led to it. So it makes no difference how many
/// changes there were, or which of them were noticed.
///
/// Safe from any thread. One look is taken at a time.
final class LiveModules: Sendable {
    let modules: LazyLoader
    let container: Container
    let numbers: GenerationNumbers
    /// Whether a thread may look at the disk; held by the thread that does.
    private let looks = Mutex(Looking.free)
    /// Wakes the thread that follows when a window of a probation has had its calls.
    let waker = Mutex<(@Sendable () -> Void)?>(nil)
    /// The trials that the store knows of; `nil` once the host has stopped, which leaves them as they are.
    let recorded = Mutex<[Trial]?>([])
    /// A lock that is held from a look until its changes were told.
    let telling = RecursiveLock()
    let policy: LivePolicy
    let report: @Sendable (HostChange) -> Void

    private enum Looking {
        case free
        /// No thread looks at the disk: a fresh process takes over.
        case held
        /// The next look sees all that has changed since.
        case overdue
    }

    /// Everything that the host knows, also while a look is under way.
    var running: Running {
        get { modules.loader.running }
        _modify { yield &modules.loader.running }
    }

    /// - Parameter report: A function that is called with each change, on the thread that took it on. It may call the host.
    init(
        _ modules: LazyLoader, in container: Container, policy: LivePolicy,
        reporting report: @escaping @Sendable (HostChange) -> Void
    ) {
        self.modules = modules
        self.container = container
        self.policy = policy
        self.report = report
        numbers = GenerationNumbers(modules.manifest.store)
        modules.loader.afterLoad.value = { [weak self] in self?.goOnJudging() }
    }

    /// Looks once, and tells of each change. When it returns, all changes that earlier looks have taken on were
    /// told, too, whichever thread took them on.
    ///
    /// - Parameter isNews: Whether something may have changed on the disk. If not, it is looked at only if time, or what is
    ///   judged, makes a difference.
    @discardableResult
    func catchUp(
        discardingState discardsState: Bool = false, afterNews isNews: Bool = true
    ) -> [HostChange] {
        telling.withLock {
            let changes = look(discardingState: discardsState, afterNews: isNews)
            changes.forEach(report)
            return changes
        }
    }

    /// Waits for the end of a look, and lets none begin until ``resumeLooks()``.
    func holdLooks() { looks.withLock { $0 = .held } }

    /// Lets looks begin again, and the host look if it follows.
    func resumeLooks() {
        looks.withLock { $0 = .overdue }
        wake()
    }

    func wake() { waker.withLock { $0 }?() }

    /// Whether no look may begin; `false` while one is under way, without waiting for its end.
    var isHeld: Bool { looks.withLockIfAvailable { $0 == .held } == true }

    /// Looks once.
    ///
    /// - Returns: Everything that was taken on, and everything new that could not be, in the order in which
    ///   it happened.
    private func look(discardingState discardsState: Bool, afterNews isNews: Bool) -> [HostChange] {
        guard !isHeld else { return [] }
        let illnesses = illnesses
        modules.loader.limit.value = policy.loadLimit
        container.expectExchanges()
        return looks.withLock { looking in
            guard !running.isStopped, looking != .held else { return [] }
            let isNews = isNews || looking == .overdue
            looking = .free
            var changes = running.takeUntold()
            let hasToAct = judge(illnesses, &changes)
            let isDue = running.retry { ProcessRoom.shortage() == nil }
            if isNews || hasToAct || isDue || running.hasUnfinished {
                // The identity of before: what is written meanwhile is looked at once more.
                let identity = modules.manifest.fileIdentity
                changes += takeOn(disk(&changes), discardingState: discardsState)
                running.look(at: identity)
            } else {
                container.accounts.judge(running, keepingUsual: modules.manifest.probation.isOn)
                record(running)
            }
            container.endCalls(before: .now - policy.drainDeadline)
            return changes + running.drain(after: policy.drainDeadline)
        }
    }

    /// Applies the snapshot, and repeats while one change unblocks another: a state goes over alone, and a module that keeps
    /// state takes on a service only once it has given its own one away.
    private func takeOn(_ disk: Outlook, discardingState: Bool) -> [HostChange] {
        var changes: [HostChange] = []
        var looks = 0
        while looks <= container.served.count + running.modules.count {
            let look = run(Look(at: disk, policy: policy, discardingState: discardingState))
            changes += look.changes
            guard look.isPartial || running.hasTold && look.changes.contains(where: \.isSwitch)
            else { break }
            looks += 1
        }
        return changes
    }

    /// Carries out a look.
    ///
    /// - Returns: The look after its switch.
    private func run(_ look: Look) -> Look {
        let awaited = running.awaitingFreshProcess
        var pass = LivePass(live: self, look: look)
        pass.run()
        for id in running.awaitingFreshProcess.keys where awaited[id] == nil {
            keepLastGoodBeforeRestart(id)
        }
        // A life cycle that serves no longer stops, on a thread of its own, as soon as no call is under way in it.
        var transfers = pass.handed
        for (entry, lifecycle, left) in pass.leaving {
            let own = transfers.filter { $0.from === lifecycle }
            transfers.removeAll { $0.from === lifecycle }
            onDrained(left) { [self] in
                own.forEach(lookAgain)
                modules.loader.stop(lifecycle, of: entry, within: policy.lifecycleLimit)
                running.forget(lifecycle)
            }
        }
        for transfer in transfers {
            guard let left = transfer.left else { continue }
            onDrained(left) { [self] in lookAgain(at: transfer) }
        }
        record(running)
        return pass.look
    }

    /// Runs `body` on its own thread after draining.
    private func onDrained(_ left: RetiredInstances, _ body: @escaping @Sendable () -> Void) {
        left.onDrained {
            do throws(SystemError) {
                try DetachedThread.start(body)
            } catch {
                body()
            }
        }
    }

    /// Carries over what was written to an old object since its state was handed over.
    private func lookAgain(at transfer: StateTransfer) {
        let isServing = running.loaded.values.contains { $0.lifecycle === transfer.target }
        do throws(LifecycleError) {
            let isKept = try transfer.finish(serving: isServing, within: policy.lifecycleLimit)
            if !isKept { report(.stateLost(HostError(StateLoss(transfer.old.entry, nil)))) }
        } catch {
            report(.stateLost(HostError(StateLoss(transfer.old.entry, error))))
        }
    }

    /// All generations that the host knows and that are no longer on their way, in the order of their numbers.
    var generations: [HostGeneration] {
        running.enter(numbers.next)
        return running.generations.filter { !$0.state.isOnItsWay }.map(HostGeneration.init)
    }

    var standing: RunningHost.Standing { RunningHost.Standing(running) }

    /// The disk with the manifest as it is there; with the one that the host goes by if that one cannot be used.
    private func disk(_ changes: inout [HostChange]) -> Outlook {
        do {
            _ = running.shareCalls(besides: modules.manifest.choices)
            let manifest = try Manifest.load(modules.manifest.path)
            let disk = Outlook(manifest, holding: running.files)
            try disk.catalog.checkIDs(besides: modules.manifest).forEach(modules.warn)
            return Outlook(disk, choosing: running.read(manifest), standing: [:])
        } catch {
            // A manifest is often wrong for a moment, while it is edited.
            let error = HostError(error)
            if running.cannotRead(because: error.problems) { changes.append(.kept(error)) }
            return Outlook(modules.manifest, holding: running.files)
        }
    }

    /// Decides anew about what is loaded, unless some thread looks at the disk now: it may wait for this very thread.
    func decideUnlessLooking() {
        looks.withLockIfAvailable { looking in
            guard looking != .held else { return }
            let look = Look(at: modules.outlook, policy: policy, comparingFiles: false)
            let taken = run(look)
            running.keepUntold(taken.changes)
            if taken.isPartial { looking = .overdue }
        }
    }
}
