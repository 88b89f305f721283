// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// The features that run in a host, so that they can be asked to end.
// SAFETY: the list is used only while the lock is held. A task is in it only while it runs a feature: the task itself
// takes itself out, and cannot do so while another thread cancels it.
final class RunningFeatures: @unchecked Sendable {
    private var tasks: [(number: Int, task: UnsafeCurrentTask)] = []
    private var next = 0
    /// Cancelling runs handlers of the feature's, which may launch and end others.
    private let lock = RecursiveLock()

    var isEmpty: Bool { lock.withLock { tasks.isEmpty } }

    /// Notes that the current task runs a feature.
    ///
    /// - Returns: The number for ``end(_:)``.
    func begin() -> Int {
        withUnsafeCurrentTask { task in
            lock.withLock {
                next += 1
                if let task { tasks.append((next, task)) }
                return next
            }
        }
    }

    /// Notes that the current task no longer runs that feature.
    func end(_ number: Int) {
        lock.withLock { tasks.removeAll { $0.number == number } }
    }

    /// Cancels the tasks that run features.
    func cancel() {
        lock.withLock { for (_, task) in tasks { task.cancel() } }
    }
}
