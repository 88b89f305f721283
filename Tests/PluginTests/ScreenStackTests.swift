// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Testing

@testable import Navigation

@Suite("The open screens")
struct ScreenStackTests {
    private final class Blank: ScreenModel {
        func screen() async -> Screen { Screen("Blank", []) }
        func handle(_ input: ScreenInput) async throws {}
    }

    /// A stack of some screens, each pushed by the one below.
    private func stack(_ count: Int) -> ScreenStack {
        var stack = ScreenStack()
        for _ in 0..<count { _ = push(on: &stack, from: stack.top?.id) }
        return stack
    }

    private func push(
        on stack: inout ScreenStack, from opener: ScreenID?, as place: ScreenPlace = .pushed
    ) -> [ScreenStack.Closed] {
        let entry = ScreenStack.Entry(
            id: stack.newID(), link: Link("blank"), isModal: false, isAwaited: false,
            model: Blank())
        return stack.open(entry, as: place, from: opener)
    }

    @Test("are closed from above, and only the one that is closed has its own end")
    func closing() {
        var stack = stack(4)
        let ids = stack.entries.map(\.id)
        let closed = stack.close(ids[1], .finished)
        #expect(closed.map(\.id) == [ids[3], ids[2], ids[1]])
        #expect(closed.map(\.end) == [.cancelled, .cancelled, .finished])
        #expect(stack.entries.map(\.id) == [ids[0]])
        #expect(stack.close(ids[1], .finished).isEmpty)
    }

    @Test("give way to a new one above their opener, or to a new root")
    func replacing() {
        var stack = stack(3)
        let ids = stack.entries.map(\.id)
        let above = push(on: &stack, from: ids[1])
        #expect(above.map(\.id) == [ids[2]] && above.map(\.end) == [.replaced])
        #expect(stack.entries.count == 3 && !ids.contains(stack.entries[2].id))
        let all = push(on: &stack, from: ids[1], as: .root)
        #expect(all.count == 3 && all.allSatisfy { $0.end == .replaced })
        #expect(stack.entries.count == 1)
    }
}
