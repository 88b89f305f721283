// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import EavesInterface

/// The calling thread's record: its read section, and the factories that run on it.
///
/// All state is in a structure in C, which the thread owns until it ends. So a context is just
/// a pointer, and is valid on its own thread only.
struct ThreadContext {
    let record: UnsafeMutablePointer<eaves_reader>

    @inline(__always)
    static var current: ThreadContext { ThreadContext(record: eaves_reader_current()) }

    /// Whether nothing waits for what the thread resolves now.
    var isIdle: Bool { record.pointee.depth == 0 && record.pointee.making == nil }

    /// The registrations whose factories run, outermost first.
    var running: [Registration] {
        (0..<record.pointee.depth).map(running(at:))
    }

    /// The registration whose factory runs innermost.
    var top: Registration? {
        record.pointee.depth == 0 ? nil : running(at: record.pointee.depth - 1)
    }

    var runningContainer: Container? {
        // SAFETY: everything that resolves holds the container of the factory that runs.
        top?.owner?.takeUnretainedValue()
    }

    func running(at index: UInt32) -> Registration {
        // SAFETY: `push` stored a `Registration`, which the read section keeps alive.
        Unmanaged<Registration>.fromOpaque(record.pointee.building[Int(index)])
            .takeUnretainedValue()
    }

    /// The creations under way in words, outermost first: first by the thread's task, then by the thread.
    var chain: [ServiceRequest] {
        let running = running
        return TaskContext.chain
            + running.indices
            // To users, a decorated service and the service that decorates it are one.
            .filter { $0 == 0 || running[$0 - 1].traits.decoration?.inner !== running[$0] }
            .map { running[$0].request }
    }

    /// Whether a factory can be called with nothing else to do: no other thread waits for what is being
    /// created, and the factory is not running.
    @inline(__always)
    func mayCall(_ registration: Registration) -> Bool {
        record.pointee.making == nil
            && record.pointee.building_bits & registration.creationBit == 0
    }

    /// Throws if a factory is running that must not be called again.
    ///
    /// A recursion with runtime arguments can be meant, and end by itself. Without arguments it cannot, unless the
    /// inner call gets an object that is being completed.
    @inline(__always)
    func checkCycle(_ registration: Registration) throws(ResolutionError) {
        if record.pointee.building_bits & registration.creationBit != 0 {
            try checkRunning(registration)
        }
    }

    private func checkRunning(_ registration: Registration) throws(ResolutionError) {
        // SAFETY: compared, and never dereferenced.
        let wanted = UnsafeRawPointer(Unmanaged.passUnretained(registration).toOpaque())
        let places = (0..<record.pointee.depth).filter {
            record.pointee.building[Int($0)] == wanted
        }
        guard let last = places.last else { return }
        let isOver =
            registration.request.arguments.isEmpty
            ? !mayCallAgain(above: last) : places.count > ResolutionError.mostRecursions
        if isOver { throw cycle(registration) }
    }

    func cycle(_ registration: Registration) -> ResolutionError {
        ResolutionError(.cycle, wanted: registration.request, chain: chain)
    }

    /// Calls `create` while a registration is on top of the running ones.
    @inline(__always)
    func running<Service>(
        _ registration: Registration, create: () throws -> Service
    ) throws(ResolutionError) -> Service {
        let bits = push(registration)
        defer { pop(bits) }
        do {
            let instance = try create()
            if hasNotes { try checkNotes() }
            return instance
        } catch {
            throw failure(of: registration, error)
        }
    }

    /// Puts a registration on top of the running ones.
    ///
    /// - Returns: The value for ``pop(_:)``.
    @inline(__always)
    func push(_ registration: Registration) -> UInt64 {
        if record.pointee.depth == record.pointee.capacity { eaves_reader_grow(record) }
        // SAFETY: the line above made room.
        record.pointee.building[Int(record.pointee.depth)] =
            UnsafeRawPointer(Unmanaged.passUnretained(registration).toOpaque())
        record.pointee.depth &+= 1
        let bits = record.pointee.building_bits
        record.pointee.building_bits = bits | registration.creationBit
        return bits
    }

    /// Takes away the registration that ``push(_:)`` put on top.
    @inline(__always)
    func pop(_ bits: UInt64) {
        record.pointee.depth &-= 1
        record.pointee.building_bits = bits
    }

    @inline(never)
    func failure(of registration: Registration, _ error: any Error) -> ResolutionError {
        _ = takeInjectionError()
        if let error = error as? ResolutionError { return error }
        // The chain still ends with the registration itself.
        return ResolutionError(
            .factoryFailed(error), wanted: registration.request,
            chain: Array(chain.dropLast()), candidates: [registration.description])
    }
}
