// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesTestSupport
import Foundation
import Testing

/// Real threads, as many as a test asks for. A pool may have fewer, and would hide errors.
enum Threads {
    /// Starts a thread.
    static func start(_ body: @escaping @Sendable () -> Void) {
        Thread(block: body).start()
    }

    /// Calls `body` on `count` threads at once, and waits for all.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            start {
                body(number)
                group.leave()
            }
        }
        if group.wait(timeout: .now() + Patience.seconds) == .timedOut {
            Issue.record("not all of \(count) threads came to their end")
        }
    }
}

/// Runs tasks on one dedicated thread.
///
/// Other tests keep the threads of the common pool busy until every section has ended. What a thread
/// waits for in a section must not need that pool.
final class ThreadExecutor: TaskExecutor {
    private let jobs = Locked<[UnownedJob]>([])
    private let count = DispatchSemaphore(value: 0)

    /// Starts the thread, which waits for jobs until the process ends.
    init() {
        Threads.start { [self] in
            while true {
                count.wait()
                let job = jobs.withLock { $0.removeFirst() }
                job.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        count.signal()
    }
}
