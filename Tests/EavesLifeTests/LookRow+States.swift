// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// State that goes from one object to another.
extension LookRow {
    static let states: [LookRow] = [
        LookRow(
            "a new file takes on the state", .stateful, [.write("a", [.stateful])],
            steps: "make a 2, start a, hand over the last states, switch", told: ["a 1 → a 2"],
            state: "a 2, on trial after 1; Alpha a"),
        LookRow(
            "a new file that keeps no state", .stateful, [.write("a")], steps: "make a 2",
            told: ["a 2 refused: …would lose state…"], state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "a new file that keeps no state, and may lose it", .stateful,
            [.mayLoseState("a"), .write("a")], steps: "make a 2, switch", told: ["a 1 → a 2"],
            state: "a 2, on trial after 1; Alpha a"),
        LookRow(
            "a new file that cannot take on the state", .stateful,
            [.write("a", [.stateful, .cannotRestore])], steps: "make a 2, start a",
            told: ["a 2 refused: …would lose state…"], state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "a new file that cannot take on the state, and may lose it", .stateful,
            [.mayLoseState("a"), .write("a", [.stateful, .cannotRestore])],
            steps: "make a 2, start a, switch", told: ["a 1 → a 2"],
            state: "a 2, on trial after 1; Alpha a"),
        LookRow(
            "calls that go on put the exchange off", .stateful,
            [.isBusy("a"), .write("a", [.stateful]), .look],
            steps: "make a 2, start a, hand over the last states",
            told: ["a 2 refused: …is put off…"], state: "a 1, refuses 2, put off; Alpha a"),
        LookRow(
            "an exchange that was put off, and whose time has come", .stateful,
            [.isBusy("a"), .write("a", [.stateful]), .look, .isIdle("a"), .pass(.seconds(600))],
            steps: "make a 2, start a, hand over the last states, "
                + "make a 2, start a, hand over the last states, switch",
            told: ["a 2 refused: …is put off…", "a 1 → a 2"],
            state: "a 2, on trial after 1; Alpha a"),
        LookRow(
            "an exchange that is put off again says so once", .stateful,
            [.isBusy("a"), .write("a", [.stateful]), .look, .pass(.seconds(600))],
            steps: "make a 2, start a, hand over the last states, "
                + "make a 2, start a, hand over the last states",
            told: ["a 2 refused: …is put off…"], state: "a 1, refuses 2, put off; Alpha a"),
        LookRow(
            "a newer file while an exchange is put off", .stateful,
            [
                .isBusy("a"), .write("a", [.stateful]), .look, .isIdle("a"),
                .write("a", [.stateful]),
            ],
            steps: "make a 2, start a, hand over the last states, "
                + "make a 3, start a, hand over the last states, switch",
            told: ["a 2 refused: …is put off…", "a 1 → a 3"],
            state: "a 3, on trial after 1; Alpha a"),
        LookRow(
            "calls that go on in a module whose state may be lost", .stateful,
            [.isBusy("a"), .mayLoseState("a"), .write("a", [.stateful])],
            steps: "make a 2, start a, hand over the last states, switch", told: ["a 1 → a 2"],
            state: "a 2, on trial after 1; Alpha a"),
        LookRow(
            "a binding to a module that takes on the state", .twoStateful,
            [.bind("Alpha", to: "b")],
            steps: "make the first b 1, start b, hand over the last states, switch",
            told: ["Alpha: a → b"], state: "a 1; b 1; Alpha b on trial after a"),
        LookRow(
            "a binding that goes back with the state", .twoStateful,
            [.bind("Alpha", to: "b"), .look, .bind("Alpha", to: "a")],
            steps: "make the first b 1, start b, hand over the last states, switch, "
                + "hand over to a, hand over the last states, switch",
            told: ["Alpha: a → b", "Alpha: b → a"], state: "a 1; b 1; Alpha a"),
        LookRow(
            "a binding that goes back to a module with a new file", .twoStateful,
            [
                .bind("Alpha", to: "b"), .look, .bind("Alpha", to: "a"), .write("a", [.stateful]),
            ],
            steps: "make the first b 1, start b, hand over the last states, switch, "
                + "make a 2, start a, hand over the last states, switch",
            told: ["Alpha: a → b", "a 1 → a 2", "Alpha: b → a"],
            state: "a 2, on trial after 1; b 1; Alpha a"),
        LookRow(
            "a binding to a module that keeps no state", .next(of: [.stateful]),
            [.bind("Alpha", to: "b"), .look], steps: "make the first b 1",
            told: ["kept: …would lose state…"],
            state: "a 1; b takes no state of a; Alpha a told"),
        LookRow(
            "a binding to a module that keeps no state, and may lose it",
            .next(of: [.stateful]) + [.mayLoseState("b")], [.bind("Alpha", to: "b")],
            steps: "make the first b 1, switch", told: ["Alpha: a → b"],
            state: "a 1; b 1; Alpha b on trial after a"),
        LookRow(
            "a binding to a module that cannot take on the state",
            .next(.stateful, .cannotRestore, of: [.stateful]), [.bind("Alpha", to: "b"), .look],
            steps: "make the first b 1, start b", told: ["kept: …would lose state…"],
            state: "a 1; b takes no state of a; Alpha a told"),
        LookRow(
            "a binding to a module while calls go on", .twoStateful,
            [.isBusy("a"), .bind("Alpha", to: "b"), .look],
            steps: "make the first b 1, start b, hand over the last states",
            told: ["kept: …is put off…"],
            state: "a 1; b put off, takes no state of a; Alpha a told"),
        LookRow(
            "a binding that was put off, and whose time has come", .twoStateful,
            [.isBusy("a"), .bind("Alpha", to: "b"), .look, .isIdle("a"), .pass(.seconds(600))],
            steps: "make the first b 1, start b, hand over the last states, "
                + "make the first b 1, start b, hand over the last states, switch",
            told: ["kept: …is put off…", "Alpha: a → b"],
            state: "a 1; b 1; Alpha b on trial after a"),
        LookRow(
            "a binding to a module that has a state of its own", .own, [.bind("Alpha", to: "b")],
            told: ["kept: …has a state of its own…"], state: "a 1; b 1; Alpha a told; Beta b"),
        LookRow(
            "a new file with the state, and the service that it gives up bound to another module",
            .next(of: [.stateful]),
            [.write("a", [.stateful], provides: []), .bind("Alpha", to: "b"), .look],
            steps: "make a 2, make the first b 1",
            told: ["a 2 refused: …no longer provides Alpha…", "kept: …would lose state…"],
            state: "a 1, refuses 2; b takes no state of a; Alpha a told"),
        LookRow(
            "two modules that swap their services", .own,
            [.bind("Alpha", to: "b"), .bind("Beta", to: "a")],
            told: ["kept: …has a state of its own…", "kept: …has a state of its own…"],
            state: "a 1; b 1; Alpha a told; Beta b told"),
        LookRow(
            "two modules that would hand over to one",
            .own + [.write("c", [.stateful], provides: ["Alpha", "Beta"])],
            [.bind("Alpha", to: "c"), .bind("Beta", to: "c")],
            steps: "make the first c 1, start c, hand over the last states, switch",
            told: ["kept: …one module cannot take on both…", "Alpha: a → c"],
            state: "a 1; b 1; c 1, takes no state of b; Alpha c on trial after a; Beta b told"),
        LookRow(
            "a module that gives its state away, and takes on that of another one",
            .own + [.write("c", [.stateful], provides: ["Beta"])],
            [.bind("Beta", to: "c"), .bind("Alpha", to: "b")],
            steps: "make the first c 1, start c, hand over the last states, switch, "
                + "hand over to b, hand over the last states, switch",
            told: ["kept: …has a state of its own…", "Beta: b → c", "Alpha: a → b"],
            state: "a 1; b 1; c 1; Alpha b on trial after a; Beta c on trial after b"),
        LookRow(
            "a bad file gives its state back", .stateful,
            [.write("a", [.stateful, .bad]), .look, .call("a")],
            steps: "make a 2, start a, hand over the last states, switch, "
                + "go back to a 1, start a, hand over the last states, switch",
            told: ["a 1 → a 2", "a bad", "a 2 → a 1"], state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "a bad file goes, also if its calls go on", .stateful,
            [.write("a", [.stateful, .bad]), .look, .isBusy("a"), .call("a")],
            steps: "make a 2, start a, hand over the last states, switch, "
                + "go back to a 1, start a, hand over the last states, switch",
            told: ["a 1 → a 2", "a bad", "a 2 → a 1"], state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "a file that keeps no state after a bad one was taken back", .stateful,
            [.write("a", [.stateful, .bad]), .look, .call("a"), .look, .write("a")],
            steps: "make a 2, start a, hand over the last states, switch, "
                + "go back to a 1, start a, hand over the last states, switch, make a 3",
            told: ["a 1 → a 2", "a bad", "a 2 → a 1", "a 3 refused: …would lose state…"],
            state: "a 1, refuses 3; Alpha a"),
        LookRow(
            "a state of the process before, and a file that keeps none", [.write("a")],
            [.hand("a"), .ask("Alpha")], state: "a cannot load 1"),
        LookRow(
            "a state of the process before", [.write("a", [.stateful])],
            [.hand("a"), .ask("Alpha")], state: "a 1; Alpha a"),
    ]
}

extension [Event] {
    /// Two modules with a state serve.
    fileprivate static let own: Self = [
        .write("a", [.stateful], provides: ["Alpha", "Beta"]),
        .write("b", [.stateful], provides: ["Alpha", "Beta"]),
        .bind("Alpha", to: "a"), .bind("Beta", to: "b"), .ask("Alpha"), .ask("Beta"),
    ]
}
