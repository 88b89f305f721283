// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesTestSupport
import Foundation
import Synchronization
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

    /// Calls two functions at once, each on a thread, and counts those that throw.
    static func failures(
        _ first: @escaping @Sendable () throws -> Void,
        and second: @escaping @Sendable () throws -> Void
    ) -> Int {
        let failures = Counter()
        run(2) { number in
            do { try (number == 0 ? first : second)() } catch { failures.next() }
        }
        return failures.count
    }
}

/// Threads and tasks that do something again and again until the test ends them.
final class Repeating: Sendable {
    private let isOver = Atomic(false)
    private let threads = DispatchGroup()
    private let tasks = Locked<[Task<Void, any Error>]>([])
    private let errors = Locked<[any Error]>([])

    func onThread(_ body: @escaping @Sendable () throws -> Void) {
        threads.enter()
        Threads.start { [self] in
            defer { threads.leave() }
            do {
                while !isOver.load(ordering: .relaxed) { try body() }
            } catch {
                errors.withLock { $0.append(error) }
            }
        }
    }

    func inTask(_ body: @escaping @Sendable () async throws -> Void) {
        let task = Task { [self] in
            while !isOver.load(ordering: .relaxed) { try await body() }
        }
        tasks.withLock { $0.append(task) }
    }

    /// Waits for all to end.
    ///
    /// - Throws: The first error of any of them.
    func end() async throws {
        isOver.store(true, ordering: .relaxed)
        await withCheckedContinuation { continuation in
            threads.notify(queue: .global()) { continuation.resume() }
        }
        for task in tasks.withLock({ $0 }) { try await task.value }
        if let error = errors.withLock({ $0.first }) { throw error }
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
