// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Synchronization
import Testing

@testable import EavesRestart

@Suite("The work of a process that may be handed over", .onOwnThreads, .patiently)
struct ServingTaskTests {
    /// Work whose runs end when they are told, each with its number.
    private final class Work: Sendable {
        let begun = Mutex(0)
        /// The runs that were cancelled when they ended.
        let cancelled = Mutex<[Int]>([])
        let ends: [Awaited<Bool>] = (0..<4).map { _ in Awaited() }

        func run() async -> Int {
            let number = begun.withLock { begun in
                defer { begun += 1 }
                return begun
            }
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                try? DetachedThread.start { [ends] in
                    _ = ends[number].wait()
                    continuation.resume()
                }
            }
            if Task.isCancelled { cancelled.withLock { $0.append(number) } }
            return number
        }

        func awaitRun(_ count: Int) throws {
            try Patience.wait(for: "run \(count)") { begun.withLock { $0 == count } }
        }
    }

    private let work = Work()
    private let serving: ServingTask

    init() throws {
        serving = try ServingTask(began: {})
    }

    private func start() throws -> Awaited<Int?> {
        let result = Awaited<Int?>()
        Task { [serving, work] in
            let value = try? await serving.run { await work.run() }
            result.set(value)
        }
        try work.awaitRun(1)
        try Patience.wait(for: "the work") { serving.isServing }
        return result
    }

    @Test("begins again at once if it takes long over its end, and all runs have to end next time")
    func beginsAgain() throws {
        let result = try start()
        #expect(serving.prepare())
        #expect(!serving.drain(until: .now + .milliseconds(5)))
        serving.goOn()
        try work.awaitRun(2)
        #expect(serving.isHandingOver, "the first run must drop no socket of the second one")
        let since = try #require(serving.leavingSince)
        serving.ended.note()
        try Patience.wait(for: "the second run") { serving.prepare() }
        #expect(!serving.ended.wait(until: .now), "an earlier note is no news")
        #expect(!serving.drain(until: .now + .milliseconds(5)))
        serving.goOn()
        try work.awaitRun(3)
        #expect(serving.leavingSince == since, "the first run has had its time since then")
        try Patience.wait(for: "the third run") { serving.prepare() }
        #expect(!serving.drain(until: .now + .milliseconds(5)))
        for end in work.ends[1...2] { end.set(true) }
        #expect(!serving.drain(until: .now + .milliseconds(20)), "the first run goes on")
        work.ends[0].set(true)
        #expect(serving.drain(until: .now + Patience.limit))
        #expect(serving.leavingSince == nil)
        serving.goOn()
        try work.awaitRun(4)
        work.ends[3].set(true)
        #expect(result.wait() == 3, "the result is that of the last run")
        #expect(serving.isOver && !serving.isHandingOver)
    }

    @Test("cancels each further run once its own task was cancelled")
    func cancelled() throws {
        let task = Task { [serving, work] in try? await serving.run { await work.run() } }
        try work.awaitRun(1)
        task.cancel()
        #expect(serving.prepare())
        #expect(!serving.drain(until: .now + .milliseconds(5)))
        serving.goOn()
        try work.awaitRun(2)
        for end in work.ends { end.set(true) }
        try Patience.wait(for: "the end") { serving.isOver }
        #expect(work.cancelled.withLock { $0.contains(1) })
    }

    @Test("keeps nothing of the work once that is over")
    func nothingKept() async throws {
        final class Kept: Sendable {}
        weak var left: Kept?
        do {
            let kept = Kept()
            left = kept
            try await serving.run { withExtendedLifetime(kept) {} }
        }
        try Patience.wait(for: "the end of what the work has used") { left == nil }
    }
}
