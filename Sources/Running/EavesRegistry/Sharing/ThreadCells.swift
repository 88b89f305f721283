// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import Synchronization

/// Numbers that many threads change: each thread has cells of its own for them, in cache lines of their own, and the
/// numbers are the sums. Threads beyond the number of places share some.
///
/// Safe from any thread. It allocates when a thread first asks for its cells.
struct ThreadCells: ~Copyable, Sendable {
    /// Valid as long as the value that it comes from.
    typealias Cells = UnsafeMutablePointer<Atomic<Int>>
    private typealias Place = UnsafeMutablePointer<Atomic<UnsafeMutableRawPointer?>>

    private static var count: Int { 32 }
    /// Processors also fetch the neighbour of a line.
    private static var line: Int { 128 }

    // SAFETY: the memory is constant until `deinit`, and has atomics only; what they point to is, too.
    nonisolated(unsafe) private let places: Place
    private let words: Int

    init(words: Int) {
        self.words = words
        places = .allocate(capacity: Self.count)
        for index in 0..<Self.count { (places + index).initialize(to: Atomic(nil)) }
    }

    deinit {
        for cells in all {
            cells.deinitialize(count: words)
            cells.deallocate()
        }
        places.deinitialize(count: Self.count)
        places.deallocate()
    }

    /// The cells of the calling thread.
    @inline(__always)
    func own(of context: ThreadContext) -> Cells {
        let place = places + Int(context.record.pointee.number) % Self.count
        return place.pointee.load(ordering: .acquiring)?.assumingMemoryBound(to: Atomic<Int>.self)
            ?? make(at: place)
    }

    @inline(never)
    private func make(at place: Place) -> Cells {
        let size = words * MemoryLayout<Atomic<Int>>.stride
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: (size + Self.line - 1) / Self.line * Self.line, alignment: Self.line)
        let cells = memory.bindMemory(to: Atomic<Int>.self, capacity: words)
        for word in 0..<words { (cells + word).initialize(to: Atomic(0)) }
        let (isMade, known) = place.pointee.compareExchange(
            expected: nil, desired: memory, ordering: .sequentiallyConsistent)
        guard !isMade, let known else { return cells }
        // A thread that shares the place was faster.
        cells.deallocate()
        return known.assumingMemoryBound(to: Atomic<Int>.self)
    }

    /// The cells of all threads so far.
    var all: [Cells] {
        (0..<Self.count).compactMap {
            places[$0].load(ordering: .sequentiallyConsistent)?
                .assumingMemoryBound(to: Atomic<Int>.self)
        }
    }

    /// The sum of one of the numbers. Calls that began before this, and changed it, are in it.
    ///
    /// - Parameter cells: Those of all threads, if they were asked for already.
    func sum(of word: Int, in cells: [Cells]? = nil) -> Int {
        (cells ?? all).reduce(0) { $0 + $1[word].load(ordering: .sequentiallyConsistent) }
    }
}
