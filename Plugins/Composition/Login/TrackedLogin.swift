// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import LoginInterface
import TrackingInterface

/// Lets the login's events be tracked. Neither the login nor the tracker knows the other one's protocol.
struct TrackedLogin: LoginEventHandler {
    let tracker: any EventTracker
    let logger: Logger

    func handle(_ event: LoginEvent) async {
        let tracked = TrackedLoginEvent(event: event)
        do {
            try await tracker.send(tracked)
        } catch {
            // A login does not fail because its event cannot be kept.
            logger.warning("cannot track '\(tracked.name)': \(error)")
        }
    }
}

/// An event of the login, in the words of the tracker.
///
/// The event itself does not conform: if two modules made it conform, one process would have both.
struct TrackedLoginEvent: TrackedEvent {
    let event: LoginEvent

    var name: String {
        switch event {
        case .succeeded: "login.succeeded"
        case .refused: "login.refused"
        @unknown default: "login"
        }
    }

    var attributes: [String: String] {
        switch event {
        case .succeeded(let name), .refused(let name): ["name": name]
        @unknown default: [:]
        }
    }
}
