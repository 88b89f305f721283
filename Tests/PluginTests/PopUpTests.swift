// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Testing
import EavesTestSupport

@testable import PopUp

@Suite("The pop-up", .onOwnThreads)
struct PopUpTests {
    private struct Route: CloseRoute {
        let kept: Kept

        func close() async { kept.keep("closed") }
        func closeToRoot() async {}
        func refresh() async {}
    }

    @Test("shows its message until the person confirms it")
    func confirm() async throws {
        let kept = Kept()
        let model = PopUpViewModel(message: "Hello", route: Route(kept: kept))
        #expect(await model.screen().texts == ["Hello"])
        try await model.handle(ScreenInput(.action("ok")))
        #expect(kept.all == ["closed"])
    }
}
