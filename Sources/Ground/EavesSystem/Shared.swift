// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

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
