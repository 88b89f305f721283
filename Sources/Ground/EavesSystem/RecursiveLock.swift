// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

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
