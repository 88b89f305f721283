// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import EavesInterface

/// The calling thread's record: its read section, and what it is building.
typealias Reader = UnsafeMutablePointer<eaves_reader>

extension UnsafeMutablePointer<eaves_reader> {
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
