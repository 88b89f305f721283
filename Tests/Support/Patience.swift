// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import Glibc

/// The one limit of all that tests wait for.
///
/// A test waits until something is so. The limit only ends a test whose wait would never end, so it is
/// generous, and longer on a machine that is slow or has other work.
package enum Patience {
    /// How long a test waits for anything.
    package static let limit: Duration = .seconds(seconds)

    /// The same in seconds.
    ///
    /// Tests begin together and share a few threads, so that one may wait for many others.
    package static let seconds: Double = 1_200 * slowness

    /// The same in milliseconds, as `poll` takes it.
    package static let milliseconds = Int32(seconds * 1000)

    /// When a wait that begins now has taken too long.
    package static var end: ContinuousClock.Instant { .now + limit }

    /// Looks again and again until a condition holds. For what has no event, such as a screen or the state of
    /// another process; a wait for an output or for the end of a child needs no such look.
    ///
    /// - Parameter aim: The condition in words, such as `the shell's prompt`.
    /// - Throws: ``FixtureError`` if the condition does not hold within ``limit``.
    package static func wait(
        for aim: @autoclosure () -> String, until condition: () throws -> Bool
    ) throws {
        let begin = ContinuousClock.now
        while try !condition() {
            letPass(try pause(since: begin, aim()))
        }
    }

    /// Looks again and again until a condition holds, without a thread that waits.
    ///
    /// - Parameter aim: The condition in words.
    /// - Throws: ``FixtureError`` if the condition does not hold within ``limit``.
    package static func wait(
        for aim: @autoclosure () -> String, until condition: () async throws -> Bool
    ) async throws {
        let begin = ContinuousClock.now
        while try await !condition() {
            try await Task.sleep(for: try pause(since: begin, aim()))
        }
    }

    /// The time until the next look: a tenth of what a wait has taken so far, so that hundreds of waits, each as long
    /// as other tests take, leave the processors to those.
    ///
    /// - Throws: ``FixtureError`` if it has taken longer than ``limit``.
    private static func pause(
        since begin: ContinuousClock.Instant, _ aim: @autoclosure () -> String
    ) throws -> Duration {
        let time = begin.duration(to: .now)
        guard time < limit else {
            throw FixtureError(
                "waited \(Int(seconds)) seconds for this, which did not come: \(aim())")
        }
        return min(max(.milliseconds(2), time / 10), .milliseconds(100))
    }

    /// Lets time itself pass, where a test is about time, such as about a call that is slow. Not for waiting:
    /// a test waits for a condition.
    package static func letPass(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        let length = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        withUnsafePointer(to: length) { _ = nanosleep($0, nil) }
    }

    /// How much longer than a quiet machine of our gate this one needs for a known piece of work: the start of
    /// some processes. At least 1.
    private static let slowness: Double = {
        let time = ContinuousClock().measure {
            for _ in 0..<20 {
                guard let child = try? ChildCommand("/bin/sh", ["-c", ":"]).spawn([]) else {
                    continue
                }
                while waitpid(child, nil, 0) < 0, errno == EINTR {}
            }
        }
        return min(max(1, time / .milliseconds(20)), 100)
    }()
}
