// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// Counts the changes to what a container gives, so that who keeps something of it knows when to ask
/// again.
///
/// Safe from any thread.
///
/// Since interface 1.1.
public final class ChangeCounter {
    /// Valid as long as this object.
    @usableFromInline let counter: UnsafeMutablePointer<Atomic<UInt>>

    /// Begins to count.
    public init() {
        counter = .allocate(capacity: 1)
        counter.initialize(to: Atomic(1))
    }

    deinit {
        counter.deinitialize(count: 1)
        counter.deallocate()
    }

    /// Counts a change. For containers, after it can be seen.
    public func advance() {
        counter.pointee.add(1, ordering: .releasing)
    }
}

// SAFETY: the pointer is constant, and what it points to is atomic.
extension ChangeCounter: @unchecked Sendable {}
