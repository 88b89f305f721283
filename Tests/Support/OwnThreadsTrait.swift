// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesChild
import EavesSystem
package import Testing

/// Runs tests that wait, for processes above all, on threads that belong to such tests.
///
/// The pool of tasks has a thread for each processor. If tests that wait hold all of them, the processors rest, and tests
/// that only compute do not begin.
///
/// A test that is prompt also goes on as soon as it can, before the tests that have not begun. Each test that waits for a
/// process of the testing library (`processExitsWith`) needs that, and the gate looks for it. A child that has ended waits
/// until its test goes on, and meanwhile the library asks the system for ended children again and again: it keeps a
/// processor busy, and hears of no other child. So one of the threads is theirs alone.
package struct OwnThreadsTrait: TestTrait, SuiteTrait, TestScoping {
    package let isRecursive = true
    fileprivate var isPrompt = false

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        if isPrompt { withUnsafeCurrentTask { $0?.escalatePriority(to: .high) } }
        try await withTaskExecutorPreference(WaitingThreads.shared.get()) {
            // A suite is no test of its own, and runs as long as its tests do.
            guard testCase != nil else { return try await function() }
            try await SilenceWatch.watch(test, function)
        }
    }
}

extension Trait where Self == OwnThreadsTrait {
    /// The trait of tests that wait for processes, files or threads.
    package static var onOwnThreads: Self { Self() }

    /// The trait of tests that wait for a process of the testing library.
    package static var promptly: Self { Self(isPrompt: true) }
}

extension Trait where Self == TimeLimitTrait {
    /// Ends what does not end by itself. The limit is longer than any single wait of a test.
    package static var patiently: Self {
        .timeLimit(.minutes(max(30, Int(Patience.seconds / 40))))
    }
}

/// The threads of tests that wait: two for each processor, so that some compute while others wait.
private final class WaitingThreads: TaskExecutor {
    static let shared = Result { try WaitingThreads(count: 2 * ChildPool.coreCount) }

    private struct Jobs {
        /// In the order of their coming, from `first` on.
        var waiting: [UnownedJob] = []
        var first = 0
        /// The same for jobs that the trait `promptly` hurries.
        var urgent: [UnownedJob] = []

        mutating func take(onlyUrgent: Bool) -> UnownedJob? {
            if let job = urgent.popLast() { return job }
            guard !onlyUrgent, first < waiting.count else { return nil }
            defer {
                first += 1
                if first == waiting.count { (waiting, first) = ([], 0) }
            }
            return waiting[first]
        }
    }

    private let jobs = Locked(Jobs())
    private let all = DispatchSemaphore(value: 0)
    private let urgent = DispatchSemaphore(value: 0)

    private init(count: Int) throws {
        for _ in 0..<count { try serve(all, onlyUrgent: false) }
        // A test that is to go on at once finds a thread, whatever the others wait for.
        try serve(urgent, onlyUrgent: true)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let isUrgent = job.priority.rawValue >= TaskPriority.high.rawValue
        let unowned = UnownedJob(job)
        jobs.withLock {
            if isUrgent { $0.urgent.insert(unowned, at: 0) } else { $0.waiting.append(unowned) }
        }
        all.signal()
        if isUrgent { urgent.signal() }
    }

    private func serve(_ events: DispatchSemaphore, onlyUrgent: Bool) throws {
        try DetachedThread.start { [self] in
            while true {
                events.wait()
                // Another thread may have taken an urgent job.
                guard let job = jobs.withLock({ $0.take(onlyUrgent: onlyUrgent) }) else { continue }
                job.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
    }
}
