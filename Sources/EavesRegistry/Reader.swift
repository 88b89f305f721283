// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import EavesInterface

/// The calling thread's record: its read section, and what it is building.
typealias Reader = UnsafeMutablePointer<eaves_reader>

extension UnsafeMutablePointer<eaves_reader> {
    /// What the thread is building, outermost first.
    var chain: [ServiceRequest] {
        var chain: [ServiceRequest] = []
        var frame = pointee.top
        // SAFETY: a frame is linked as long as its factory runs, further out on this very stack.
        while let here = frame {
            chain.append(here.registration.request)
            frame = here.pointee.parent
        }
        return chain.reversed()
    }

    /// Recursion through runtime arguments can be meant, and ends by itself; without them it cannot.
    @inline(__always)
    func checkCycle(_ registration: Registration) throws(ResolutionError) {
        if pointee.top != nil { try checkNeeds(registration) }
    }

    private func checkNeeds(_ registration: Registration) throws(ResolutionError) {
        let wanted = UnsafeRawPointer(Unmanaged.passUnretained(registration).toOpaque())
        var depth = 0
        var frame = pointee.top
        // SAFETY: as in `chain`.
        while let here = frame {
            if here.pointee.registration == wanted { depth += 1 }
            frame = here.pointee.parent
        }
        guard depth > 0 else { return }
        if depth > (registration.request.arguments.isEmpty ? 0 : 100) {
            throw ResolutionError(.cycle, wanted: registration.request, chain: chain)
        }
    }

    /// What the factory of the innermost frame threw, as an error of the resolution.
    func wrap(_ error: any Error) -> ResolutionError {
        if let error = error as? ResolutionError { return error }
        var chain = chain
        guard let wanted = chain.popLast() else { preconditionFailure("nothing is being built") }
        return ResolutionError(.factoryFailed(error), wanted: wanted, chain: chain)
    }
}

extension UnsafePointer<eaves_frame> {
    fileprivate var registration: Registration {
        // SAFETY: set from a `Registration`, which the thread's section keeps alive.
        Unmanaged<Registration>.fromOpaque(pointee.registration).takeUnretainedValue()
    }
}
