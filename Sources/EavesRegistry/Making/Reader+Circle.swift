// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import EavesInterface

extension UnsafeMutablePointer<eaves_reader> {
    /// The objects that need each other and that the thread is completing; `nil` if there are none.
    var circle: Circle? {
        // SAFETY: set in `completing`, and released there alone.
        pointee.circle.map { Unmanaged<Circle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs `complete`, and meanwhile lets what it resolves come back to an object.
    ///
    /// - Parameters:
    ///   - instance: The object.
    ///   - factory: What made it.
    ///   - drop: Forgets the object; called if `complete` throws.
    func completing<Service>(
        _ instance: Service, of factory: ServiceFactory<Service>, drop: @escaping () -> Void,
        _ complete: () throws(ResolutionFailure) -> Void
    ) throws(ResolutionFailure) {
        let circle = circle ?? Circle()
        // SAFETY: given back below, by the outermost call.
        if pointee.circle == nil { pointee.circle = Unmanaged.passRetained(circle).toOpaque() }
        defer {
            if circle.isEmpty, let ended = pointee.circle {
                pointee.circle = nil
                // SAFETY: gives back the reference that was taken above, by the outermost call.
                Unmanaged<Circle>.fromOpaque(ended).release()
            }
        }
        let mark = circle.open(instance, of: factory, drop: drop)
        do throws(ResolutionFailure) {
            try complete()
        } catch {
            circle.rollBack(to: mark)
            throw error
        }
        circle.complete(mark)
    }
}
