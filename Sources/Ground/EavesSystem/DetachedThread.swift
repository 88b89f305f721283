// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Threads that no other thread waits for.
package enum DetachedThread {
    /// Runs a function on a thread of its own.
    ///
    /// - Throws: `SystemError` if the system has no further thread.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        // SAFETY: the new thread takes the reference over; if there is none, it is released below.
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                // SAFETY: the new thread alone takes over the reference that is made above.
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw SystemError(.run, "a thread", Errno(rawValue: code))
        }
        pthread_detach(thread)
    }

    /// Runs a function that may block on a thread of its own, and waits for its result without blocking
    /// this one.
    package static func result<Result: Sendable>(
        of body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            do throws(SystemError) {
                try start { continuation.resume(with: Swift.Result { try body() }) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
