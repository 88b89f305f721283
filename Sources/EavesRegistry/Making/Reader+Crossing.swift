// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import EavesInterface

// Two threads that build what the other needs are a cycle only if one thread alone would come back
// to where it began. Who finds that waiting would never end cannot know. So it steps back: gives up
// all that it is building, lets the other go on, and begins anew. What is a cycle shows then.
extension UnsafeMutablePointer<eaves_reader> {
    /// Says that waiting for what another thread builds would never end.
    ///
    /// - Parameters:
    ///   - building: What the other thread builds.
    ///   - error: What to say if it is a cycle.
    func crossing(_ building: Construction, _ error: ResolutionError) -> ResolutionFailure {
        // What the thread itself is building is a cycle, and nothing else.
        if !building.isBuilt(by: builders) {
            forgetCrossing()
            // SAFETY: given back by `stepBack` or `forgetCrossing`.
            pointee.crossing = Unmanaged.passRetained(building).toOpaque()
        }
        return ResolutionFailure(error)
    }

    /// Runs `body`, and again if it failed because of what another thread builds.
    ///
    /// Only what is outermost runs again: then nobody waits for anything of this thread's.
    func steppingBack<Result>(
        _ body: () throws(ResolutionFailure) -> Result
    ) throws(ResolutionFailure) -> Result {
        while true {
            do throws(ResolutionFailure) {
                return try body()
            } catch {
                guard pointee.depth == 0, stepBack() else { throw error }
            }
        }
    }

    /// Waits until the other thread has gone on.
    ///
    /// - Returns: Whether there was one.
    func stepBack() -> Bool {
        guard let noted = pointee.crossing else { return false }
        pointee.crossing = nil
        // SAFETY: takes over the reference of `crossing(_:_:)`.
        Unmanaged<Construction>.fromOpaque(noted).takeRetainedValue().wait(for: self)
        return true
    }

    private func forgetCrossing() {
        guard let noted = pointee.crossing else { return }
        pointee.crossing = nil
        // SAFETY: gives back the reference of `crossing(_:_:)`.
        Unmanaged<Construction>.fromOpaque(noted).release()
    }
}
