// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where ``Injected`` learns which container is building on its thread.
///
/// The interface knows no container. Whoever has one says so here, once.
package enum InjectionSource {
    /// The factory that runs on the thread, innermost.
    package struct Builder {
        /// What the factory is given.
        package let resolver: any Resolver
        /// Has the factory's resolution fail with the error when the factory returns.
        package let fail: (ResolutionError) -> Void

        package init(resolver: any Resolver, fail: @escaping (ResolutionError) -> Void) {
            self.resolver = resolver
            self.fail = fail
        }
    }

    private typealias Lookup = @Sendable () -> Builder?

    // SAFETY: an atomic; whoever loads it reads what `install` stored, and does not write it.
    /// What was installed, in a box that is never freed.
    nonisolated(unsafe) private static let installed = Atomic<UnsafeRawPointer?>(nil)

    private final class Box: Sendable {
        let lookup: Lookup

        init(_ lookup: @escaping Lookup) {
            self.lookup = lookup
        }
    }

    /// Has a lookup answer for the whole process. The first one stays.
    ///
    /// - Parameter lookup: Gives what is being built on the calling thread.
    package static func install(_ lookup: @escaping @Sendable () -> Builder?) {
        // SAFETY: a reference that is never given back once it is stored, so that whoever loads the
        // pointer finds the box; if another was stored before, nobody knows this one.
        let box = Unmanaged.passRetained(Box(lookup))
        let (isFirst, _) = installed.compareExchange(
            expected: nil, desired: UnsafeRawPointer(box.toOpaque()),
            ordering: .acquiringAndReleasing)
        if !isFirst { box.release() }
    }

    /// What is being built on this thread; `nil` if nothing is.
    static var current: Builder? {
        guard let box = installed.load(ordering: .acquiring) else { return nil }
        // SAFETY: only `install` stores here, a reference that lasts.
        return Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().lookup()
    }
}
