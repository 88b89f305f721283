// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesSystem
import Glibc
import Synchronization

/// A second user of this machine, who changes files while a test looks at them. Needs root.
///
/// Linux keeps a file system user for each thread. A thread of this process takes the other one, and can
/// then do with files what that user can do, and no more.
package enum OtherUser {
    /// A number that no account of this machine has.
    package static let id: UInt32 = 54321

    /// Runs `attack` again and again as the other user, on a thread of its own, while `body` runs.
    ///
    /// - Parameters:
    ///   - attack: A function that returns whether it has changed something, which happens at least once before
    ///     `body` begins.
    ///   - body: A function that looks at the files meanwhile.
    package static func attacking(
        _ attack: @escaping @Sendable () -> Bool, while body: () throws -> Void
    ) throws {
        let state = State()
        let thread = try Thread {
            setfsgid(id)
            setfsuid(id)
            while !state.isOver.load(ordering: .relaxed) {
                if attack() { state.hasSucceeded.store(true, ordering: .relaxed) }
            }
        }
        defer {
            state.isOver.store(true, ordering: .relaxed)
            thread.join()
        }
        try Patience.wait(for: "an attack that succeeds") {
            state.hasSucceeded.load(ordering: .relaxed)
        }
        try body()
    }

    /// Runs `body` once as the other user.
    package static func run(_ body: @escaping @Sendable () -> Void) throws {
        try Thread {
            setfsgid(id)
            setfsuid(id)
            body()
        }.join()
    }

    /// Locks, as the other user, all files and folders below a path that this user can open, while `body` runs.
    ///
    /// - Returns: The number of locked files and folders, and the result of `body`.
    package static func locking<Result>(
        below path: String, while body: () throws -> Result
    ) throws -> (locked: Int, result: Result) {
        let descriptors = Mutex<[Int32]>([])
        defer { descriptors.withLock { for descriptor in $0 { close(descriptor) } } }
        try run {
            var paths = [path]
            while let next = paths.popLast() {
                let descriptor = open(next, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                guard descriptor >= 0 else { continue }
                flock(descriptor, LOCK_EX | LOCK_NB)
                descriptors.withLock { $0.append(descriptor) }
                paths += ((try? Folder(next).entries) ?? []).map { Path.join(next, $0.name) }
            }
        }
        return try (descriptors.withLock { $0.count }, body())
    }

    /// Exchanges what two names lead to, in one step.
    package static func exchange(_ path: String, _ other: String) -> Bool {
        renameat2(AT_FDCWD, path, AT_FDCWD, other, UInt32(EAVES_RENAME_EXCHANGE)) == 0
    }

    private final class State: Sendable {
        let isOver = Atomic(false)
        let hasSucceeded = Atomic(false)
    }

    private struct Thread {
        private let thread: pthread_t

        init(_ body: @escaping @Sendable () -> Void) throws {
            let box = Unmanaged.passRetained(Body(run: body))
            var thread = pthread_t()
            let code = pthread_create(
                &thread, nil,
                { argument in
                    // SAFETY: the argument is the box that was retained for this thread.
                    Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
                    return nil
                }, box.toOpaque())
            guard code == 0 else {
                box.release()
                throw FixtureError("no thread for the other user: \(code)")
            }
            self.thread = thread
        }

        func join() { pthread_join(thread, nil) }
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
