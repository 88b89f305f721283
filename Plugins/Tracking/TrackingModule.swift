// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Synchronization
import TrackingInterface

/// Provides a tracker for events of any type.
enum TrackingModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register(
            (any EventTracker).self, scope: .shared, injecting: NumberingTracker.init(events:))
    }
}

/// Numbers the events of each type, and hands them to the event handler.
///
/// It asks for the handler at each event: the numbers go on when the handler is swapped in a running host.
final class NumberingTracker: EventTracker {
    private let events: Provider<any EventHandler>
    private let counts = Mutex<[ObjectIdentifier: Int]>([:])

    init(events: Provider<any EventHandler>) {
        self.events = events
    }

    func send<Tracked: TrackedEvent>(_ event: Tracked) async throws {
        let number = counts.withLock { counts in
            counts[ObjectIdentifier(Tracked.self), default: 0] += 1
            return counts[ObjectIdentifier(Tracked.self), default: 0]
        }
        var attributes = event.attributes
        attributes["number"] = String(number)
        try await events().handle(Event(event.name, attributes: attributes))
    }
}
