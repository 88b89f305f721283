// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import EavesInterface
import Synchronization

/// The calling thread's record: its read section, and what it is building.
typealias Reader = UnsafeMutablePointer<eaves_reader>

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

    /// Whether nobody waits for what the thread resolves now.
    var isIdle: Bool { pointee.depth == 0 && pointee.making == nil }

    /// What the thread is building, outermost first.
    var needs: [Registration] {
        (0..<pointee.depth).map { index in
            // SAFETY: set from a `Registration` in `push`, and alive in the section.
            Unmanaged<Registration>.fromOpaque(pointee.building[Int(index)])
                .takeUnretainedValue()
        }
    }

    /// What the thread is building, outermost first, in words; before it, what its task is making.
    var chain: [ServiceRequest] {
        let needs = needs
        return AsyncResolution.chain
            + needs.indices
            // What is decorated is what decorates it, for those who ask.
            .filter { $0 == 0 || needs[$0 - 1].traits.layer?.inner !== needs[$0] }
            .map { needs[$0].request }
    }

    /// Whether a factory can be called with nothing else to look after: nobody else waits for what is
    /// being made, and the factory is not among it.
    @inline(__always)
    func mayBuild(_ registration: Registration) -> Bool {
        pointee.making == nil && pointee.building_bits & registration.buildingBit == 0
    }

    /// Recursion through runtime arguments can be meant, and ends by itself; without them it cannot.
    @inline(__always)
    func checkCycle(_ registration: Registration) throws(ResolutionFailure) {
        if pointee.building_bits & registration.buildingBit != 0 { try checkNeeds(registration) }
    }

    /// Runs a factory, with its registration on top of what the thread is building.
    @inline(__always)
    func building<Service>(
        _ registration: Registration, make: () throws -> Service
    ) throws(ResolutionFailure) -> Service {
        let bits = push(registration)
        defer { pop(bits) }
        do {
            let made = try make()
            if pointee.uninjected != nil { try checkInjected() }
            return made
        } catch {
            return try again(registration, error, make)
        }
    }

    /// What a plain factory makes after all, if it only met another thread half way.
    @inline(never)
    func again<Service>(
        _ registration: Registration, _ error: any Error, _ make: () throws -> Service
    ) throws(ResolutionFailure) -> Service {
        var failure = failure(of: registration, error)
        // Whatever else is outermost steps back as a whole.
        while registration.isTransient, pointee.depth == 1, stepBack() {
            do {
                let made = try make()
                try checkInjected()
                return made
            } catch {
                failure = self.failure(of: registration, error)
            }
        }
        throw failure
    }

    /// Puts a registration on top of what the thread is building.
    ///
    /// - Returns: Hand it to ``pop(_:)``.
    @inline(__always)
    func push(_ registration: Registration) -> UInt64 {
        if pointee.depth == pointee.capacity { eaves_reader_grow(self) }
        // SAFETY: there is room, as of the line above.
        pointee.building[Int(pointee.depth)] =
            UnsafeRawPointer(Unmanaged.passUnretained(registration).toOpaque())
        pointee.depth &+= 1
        let bits = pointee.building_bits
        pointee.building_bits = bits | registration.buildingBit
        return bits
    }

    /// Takes away what ``push(_:)`` put on top.
    @inline(__always)
    func pop(_ bits: UInt64) {
        pointee.depth &-= 1
        pointee.building_bits = bits
    }

    /// Says that a registration is needed to build itself.
    func cycle(_ registration: Registration) -> ResolutionFailure {
        ResolutionFailure(
            ResolutionError(.cycle, wanted: registration.request, chain: chain))
    }

    private func checkNeeds(_ registration: Registration) throws(ResolutionFailure) {
        // SAFETY: compared, and not followed.
        let wanted = UnsafeRawPointer(Unmanaged.passUnretained(registration).toOpaque())
        var depth = 0
        for index in 0..<Int(pointee.depth) where pointee.building[index] == wanted { depth += 1 }
        guard depth > 0 else { return }
        if depth > (registration.request.arguments.isEmpty ? 0 : 100) {
            throw cycle(registration)
        }
    }

    /// What a factory threw, as the failure of the resolution.
    @inline(never)
    private func failure(of registration: Registration, _ error: any Error) -> ResolutionFailure {
        forgetInjected()
        if let failure = error as? ResolutionFailure { return failure }
        if let error = error as? ResolutionError { return ResolutionFailure(error) }
        // Still with the one that failed at the end.
        return ResolutionFailure(
            ResolutionError(
                .factoryFailed(error), wanted: registration.request, chain: Array(chain.dropLast()))
        )
    }
}
