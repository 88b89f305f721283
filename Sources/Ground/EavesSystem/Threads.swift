// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import Glibc
import Synchronization

/// Threads that no other thread waits for.
package enum DetachedThread {
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

    /// Runs a function that may block on a thread of its own, and waits for its result without blocking this one.
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

/// A value that one thread sets, and for which others wait, for a limited time.
// SAFETY: the value is read and written only while the mutex is held, and both keep their places in memory until
// `deinit`.
package final class Awaited<Value: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value?

    package init() {
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // This clock cannot be set.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Sets the value, unless it is set already.
    package func set(_ value: Value) {
        pthread_mutex_lock(mutex)
        if self.value == nil { self.value = value }
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    package func wait() -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let value { return value }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// Blocks the thread until the value is set, or for a time.
    ///
    /// - Returns: The value; `nil` if it was not set in time.
    package func wait(within limit: Duration) -> Value? {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let (seconds, attoseconds) = max(limit, .zero).components
        let nanoseconds = Int(end.tv_nsec) + Int(attoseconds / 1_000_000_000)
        end.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while value == nil {
            if pthread_cond_timedwait(condition, mutex, &end) == ETIMEDOUT { break }
        }
        return value
    }
}

/// A lock that a thread which holds it may take again: for calls of functions that others have passed, and that
/// may call back.
// SAFETY: only the functions of pthread touch the mutex, and it keeps its place in memory until `deinit`.
package final class RecursiveLock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    package init() {
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func withLock<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Waits for the lock. The calling thread has to unlock it as often.
    package func lock() { pthread_mutex_lock(mutex) }

    package func unlock() { pthread_mutex_unlock(mutex) }
}

/// A value that several threads read and change. Each access is whole: no thread sees half of a change, and no change gets
/// lost.
// SAFETY: the value is touched only while the lock is held.
package final class Shared<Value: Sendable>: @unchecked Sendable {
    private let lock = RecursiveLock()
    private var stored: Value

    package init(_ value: Value) { stored = value }

    /// Runs a function while no other thread reads or changes the value.
    package func exclusively<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock(body)
    }

    /// The value. A function that changes it in place must not read it in another way meanwhile.
    package var value: Value {
        get { lock.withLock { stored } }
        _modify {
            lock.lock()
            defer { lock.unlock() }
            yield &stored
        }
    }
}

/// The state that a thread has for itself, and that code of a module can change for all that runs on the thread later.
package enum ThreadState {
    /// The parts that code of modules has changed, and that threads have got back: whether they computed with
    /// floating-point numbers in another way, and the signals that they blocked, or no longer blocked.
    package typealias Changes = (ofArithmetic: Bool, signals: [Int32])

    private static let changes = Mutex((isOther: false, signals: UInt(0)))

    /// Runs code of a module, and gives the thread its state back.
    package static func keeping<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let arithmetic = eaves_arithmetic()
        var signals = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &signals)
        defer {
            let isOther = eaves_arithmetic() != arithmetic
            eaves_set_arithmetic(arithmetic)
            var last = sigset_t()
            pthread_sigmask(SIG_SETMASK, &signals, &last)
            let others = signals.__val.0 ^ last.__val.0
            if isOther || others != 0 {
                changes.withLock { $0 = ($0.isOther || isOther, $0.signals | others) }
            }
        }
        return try body()
    }

    /// Returns the changes since the last call, on all threads of the process.
    package static func takeChanges() -> Changes {
        let (isOther, signals) = changes.withLock { changes in
            defer { changes = (false, 0) }
            return changes
        }
        return (isOther, (1...64).filter { signals >> ($0 - 1) & 1 == 1 })
    }
}
