// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CErrand

/// A short piece of work on another processor, that nobody waits for.
package enum Errand {
    /// Begins the work, if there is another processor to do it. To begin takes about 0.1 ms.
    ///
    /// - Parameter work: Must not matter: it may begin late, or never.
    package static func begin(_ work: @escaping @Sendable () -> Void) {
        // SAFETY: the thread releases the box when it begins; where none begins, this function does.
        let box = Unmanaged.passRetained(Work(run: work))
        let code = errand_begin(
            { context in
                guard let context else { return }
                // SAFETY: the context is the box that was retained for this call, which is the only
                // one.
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
            }, box.toOpaque())
        if code != 0 { box.release() }
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
