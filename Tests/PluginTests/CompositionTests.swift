// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTesting
import LoginInterface
import Testing
import TrackingInterface
import EavesTestSupport

@testable import Composition
@testable import Tracking

@Suite("The composition", .onOwnThreads)
struct CompositionTests {
    @Test("the login's events reach the event handler through the tracker, numbered by type")
    func bridges() async throws {
        let events = KeptEvents()
        let container = try TestContainer()
        container.replace((any EventHandler).self) { _ in events }
        let handler = container.provider((any EventHandler).self)
        let login = TrackedLogin(
            tracker: NumberingTracker(events: handler),
            logger: Logger { _, text in Issue.record("\(text)") })
        await login.handle(.refused(name: "Ada"))
        await login.handle(.succeeded(name: "Ada"))
        #expect(
            events.all == [
                Event("login.refused", attributes: ["name": "Ada", "number": "1"]),
                Event("login.succeeded", attributes: ["name": "Ada", "number": "2"]),
            ])
    }

    @Test("an event that cannot be kept is logged, and the login goes on")
    func unkept() async {
        struct Refusing: EventTracker {
            func send<Tracked: TrackedEvent>(_ event: Tracked) async throws {
                throw UserServiceError.unavailable("the disk is full")
            }
        }
        let kept = Kept()
        let login = TrackedLogin(
            tracker: Refusing(),
            logger: Logger { level, text in kept.keep("\(level): \(text)") })
        await login.handle(.succeeded(name: "Ada"))
        #expect(
            kept.all == [
                "warning: cannot track 'login.succeeded': "
                    + "The users cannot be reached: the disk is full"
            ])
    }
}
