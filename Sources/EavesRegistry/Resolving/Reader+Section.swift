// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import Synchronization

// The section keeps alive what is found in it. It is open while something is resolved or lent.
extension UnsafeMutablePointer<eaves_reader> {
    /// Begins a resolution, or takes part in the one that is under way. What is found until
    /// ``leave(_:)`` stays alive.
    ///
    /// - Returns: What the record said before: hand it to ``leave(_:)``.
    @inline(__always)
    func enter() -> UInt64 {
        let before = epoch.pointee.load(ordering: .relaxed)
        if before == 0 {
            open(beside: 0)
        } else if before & 1 == 0 {
            // The section is open for what is lent; the resolution is one of its own.
            epoch.pointee.store(before - 1, ordering: .relaxed)
        }
        return before
    }

    /// Ends the resolution that ``enter()`` began, if it did.
    @inline(__always)
    func leave(_ before: UInt64) {
        guard before & 1 == 0 else { return }
        if pointee.graph != nil { endGraph() }
        epoch.pointee.store(before, ordering: .releasing)
    }

    /// Opens a section for something that is lent, in which nothing is being resolved.
    ///
    /// - Returns: Where 0 is to be stored to leave it; `nil` if one was open already.
    @inline(__always)
    func openForLoan() -> UnsafePointer<Atomic<UInt64>>? {
        guard epoch.pointee.load(ordering: .relaxed) == 0 else { return nil }
        open(beside: 1)
        return epoch
    }

    /// - Parameter beside: 0 for a resolution; 1 beside the epoch, which is odd, for a loan.
    @inline(__always)
    private func open(beside: UInt64) {
        // SAFETY: the header says that it is atomic, and so the C side treats it.
        let now = UnsafeRawPointer(pointee.now).assumingMemoryBound(to: Atomic<UInt64>.self)
        epoch.pointee.store(now.pointee.load(ordering: .acquiring) &+ beside, ordering: .relaxed)
        // The processor's part of this is the writer's membarrier: here it is for the compiler,
        // which moves no load to before it. It costs nothing on x86.
        atomicMemoryFence(ordering: .acquiringAndReleasing)
        if pointee.needs_fence { atomicMemoryFence(ordering: .sequentiallyConsistent) }
    }

    /// What the resolution has made in the graph scope so far.
    var graph: ResolutionGraph {
        if let known = pointee.graph {
            // SAFETY: set below, and released in `endGraph` alone.
            return Unmanaged<ResolutionGraph>.fromOpaque(known).takeUnretainedValue()
        }
        let graph = AsyncResolution.enterGraph()
        pointee.graph = Unmanaged.passRetained(graph).toOpaque()
        return graph
    }

    /// Releases what was made in the graph scope. Whose `deinit` resolves begins another graph.
    @inline(never)
    private func endGraph() {
        while let graph = pointee.graph {
            pointee.graph = nil
            // SAFETY: gives back the reference that `graph` took.
            Unmanaged<ResolutionGraph>.fromOpaque(graph).takeRetainedValue().leave()
        }
    }

    private var epoch: UnsafePointer<Atomic<UInt64>> {
        guard let offset = MemoryLayout<eaves_reader>.offset(of: \.epoch) else {
            preconditionFailure("a field of C has a place")
        }
        // SAFETY: the header says that it is atomic, and so the C side treats it.
        return (UnsafeRawPointer(self) + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}
