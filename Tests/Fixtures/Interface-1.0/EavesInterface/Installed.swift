// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A function that the container's module installs once for the whole process, where the interface has
/// to call the container without knowing its type.
struct Installed<Function: Sendable>: ~Copyable, Sendable {
    private final class Box: Sendable {
        let function: Function

        init(_ function: Function) {
            self.function = function
        }
    }

    // SAFETY: the pointer is atomic. Only `install` stores to it, and every other access only loads.
    /// Points to a box that is never freed.
    nonisolated(unsafe) private let box = Atomic<UnsafeRawPointer?>(nil)

    /// Only the first call has an effect.
    func install(_ function: Function) {
        // SAFETY: a stored reference is never released, so every loaded pointer leads to a living
        // box. If another box was stored first, nothing else has a reference to this one.
        let new = Unmanaged.passRetained(Box(function))
        let (isFirst, _) = box.compareExchange(
            expected: nil, desired: UnsafeRawPointer(new.toOpaque()),
            ordering: .acquiringAndReleasing)
        if !isFirst { new.release() }
    }

    /// `nil` as long as none is installed.
    var function: Function? {
        guard let box = box.load(ordering: .acquiring) else { return nil }
        // SAFETY: only `install` stores here, and it stores a reference that is never released.
        return Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().function
    }
}
