// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesTestSupport
import Synchronization

/// Services and implementations for the tests of this module.
protocol Engine: Sendable { var id: Int { get } }
protocol Wheels: Sendable { var count: Int { get } }
protocol Car: Sendable { var engine: any Engine { get } }

final class CountedEngine: Engine {
    let id: Int

    init(counter: Counter = Counter()) {
        id = counter.next()
    }
}

/// Tells when its last reference is gone.
final class WatchedEngine: Engine {
    let id = 1
    private let sentinel: Sentinel

    init(_ isGone: Signal) {
        sentinel = Sentinel(isGone)
    }
}

/// Counts its end.
final class Ending: Engine {
    let id = 1
    private let ended: Counter

    init(_ ended: Counter) {
        self.ended = ended
    }

    deinit { ended.next() }
}

/// One of two objects that need each other.
final class Half: Sendable {
    private let kept = Locked<Half?>(nil)
    var other: Half? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }

    init(_ other: Half? = nil) {
        self.other = other
    }
}

struct FixedWheels: Wheels { let count: Int }
struct SimpleCar: Car { let engine: any Engine }

/// Counts from 1, on any thread.
final class Counter: Sendable {
    private let value: Atomic<Int>

    init(from value: Int = 0) {
        self.value = Atomic(value)
    }

    var count: Int { value.load(ordering: .sequentiallyConsistent) }

    @discardableResult
    func next() -> Int { value.add(1, ordering: .sequentiallyConsistent).newValue }
}

/// An error of a test's factory.
struct Broken: Error, Equatable { let what: String }
