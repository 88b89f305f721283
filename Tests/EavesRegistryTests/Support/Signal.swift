// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesTestSupport
import Testing

/// An event that threads wait for, once each time that it happens.
final class Signal: Sendable {
    private let what: String
    private let semaphore = DispatchSemaphore(value: 0)

    /// - Parameter what: The event, for the message if it does not come.
    init(_ what: String = "an event") {
        self.what = what
    }

    func signal() {
        semaphore.signal()
    }

    /// Blocks the thread until the event has happened.
    func wait(sourceLocation: SourceLocation = #_sourceLocation) {
        if semaphore.wait(timeout: .now() + Patience.seconds) == .timedOut {
            Issue.record("\(what) did not come", sourceLocation: sourceLocation)
        }
    }

    /// Suspends the task until the event has happened.
    func come(sourceLocation: SourceLocation = #_sourceLocation) async {
        await withCheckedContinuation { continuation in
            // The threads of the pool may all be needed by those that are waited for.
            Threads.start {
                self.wait(sourceLocation: sourceLocation)
                continuation.resume()
            }
        }
    }
}

/// Tells when its last reference is gone.
final class Sentinel: Sendable {
    let isGone: Signal

    init(_ isGone: Signal) {
        self.isGone = isGone
    }

    deinit { isGone.signal() }
}
