// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

// SAFETY: only `withLock` accesses the value.
/// A value behind a lock that the thread sanitizer understands.
///
/// The sanitizer does not see how the kernel hands a `Mutex` that two threads want from one to the other.
package final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
