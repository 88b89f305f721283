// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Services that come from other modules, or from several.
extension LookRow {
    static let bindings: [LookRow] = [
        LookRow(
            "a binding to a module that is not loaded", .two, [.bind("Alpha", to: "b")],
            steps: "make the first b 1, switch", told: ["Alpha: a → b"],
            state: "a 1; b 1; Alpha b on trial after a"),
        LookRow(
            "a binding to a module that starts", .next(.living), [.bind("Alpha", to: "b")],
            steps: "make the first b 1, start b, switch", told: ["Alpha: a → b"],
            state: "a 1; b 1; Alpha b on trial after a"),
        LookRow(
            "a binding to a module that another thread loads", .two,
            [.begins("b"), .bind("Alpha", to: "b")], steps: "wait for b, switch",
            told: ["Alpha: a → b"], state: "a 1; b 1; Alpha b on trial after a"),
        LookRow(
            "a binding to a module that another thread loads without end", .two,
            [.hangs("b"), .bind("Alpha", to: "b")], steps: "wait for b",
            told: ["kept: …waited…"], state: "a 1; Alpha a told"),
        LookRow(
            "a binding to a module that another thread does not get loaded", .next(.doesNotLoad),
            [.begins("b"), .bind("Alpha", to: "b")], steps: "wait for b", told: ["kept: …no code…"],
            state: "a 1; b cannot load 1; Alpha a told"),
        LookRow(
            "a module that another thread loads while the look makes it", .two,
            [.bind("Alpha", to: "b"), .meanwhile([.pass(.zero), .load("b")])],
            steps: "make the first b 1, switch", told: ["Alpha: a → b"],
            state: "a 1; b 1; Alpha b on trial after a"),
        LookRow(
            "a binding to a module that does not load", .next(.doesNotLoad),
            [.bind("Alpha", to: "b"), .look], steps: "make the first b 1",
            told: ["kept: …no code…"],
            state: "a 1; b cannot load 1; Alpha a told"),
        LookRow(
            "a binding to a module that does not start", .next(.living, .doesNotStart),
            [.bind("Alpha", to: "b"), .look], steps: "make the first b 1, start b",
            told: ["kept: …not healthy…"], state: "a 1; b cannot load 1; Alpha a told"),
        LookRow(
            "a binding to a module that was mended", .next(.doesNotLoad),
            [.bind("Alpha", to: "b"), .look, .write("b")],
            steps: "make the first b 1, make the first b 2, switch",
            told: ["kept: …", "Alpha: a → b"], state: "a 1; b 2; Alpha b on trial after a"),
        LookRow(
            "a binding to a module that does not exist", .serving,
            [.bind("Alpha", to: "c"), .look],
            told: ["kept: …"], state: "a 1; Alpha a told"),
        LookRow(
            "a binding to a module that is switched off", .two,
            [.disable("b"), .bind("Alpha", to: "b")], told: ["kept: …"], state: "a 1; Alpha a told"),
        LookRow(
            "a binding to a module that the store keeps out", .two,
            [.keepOut("b", 1), .bind("Alpha", to: "b")], told: ["kept: …"],
            state: "a 1; Alpha a told"),
        LookRow(
            "a service that a second module provides, without a binding", .serving,
            [.write("b"), .look], told: ["kept: …"], state: "a 1; Alpha a told"),
        LookRow(
            "a module that needs another one to start",
            .next(.living) + [.write("c", provides: ["Beta"])],
            [.write("b", [.living], needs: ["Beta"]), .bind("Alpha", to: "b")],
            steps: "make the first b 2, start b, switch", told: ["Alpha: a → b"],
            state: "a 1; b 2; c 1; Alpha b on trial after a; Beta c"),
        LookRow(
            "a binding that goes back to the module of before", .two,
            [.bind("Alpha", to: "b"), .look, .bind("Alpha", to: "a")],
            steps: "make the first b 1, switch, switch", told: ["Alpha: a → b", "Alpha: b → a"],
            state: "a 1; b 1; Alpha a"),
        LookRow(
            "a binding to a third module while the second one is on trial",
            .two + [.write("c")], [.bind("Alpha", to: "b"), .look, .bind("Alpha", to: "c")],
            steps: "make the first b 1, switch", told: ["Alpha: a → b", "kept: …on probation…"],
            state: "a 1; b 1; Alpha b on trial after a told"),
        LookRow(
            "a binding to a third module when the trial of the second one has ended",
            .two + [.write("c")],
            [
                .bind("Alpha", to: "b"), .look, .bind("Alpha", to: "c"), .look, .call("b"),
                .pass(.seconds(120)),
            ],
            steps: "make the first b 1, switch, make the first c 1, switch",
            told: ["Alpha: a → b", "kept: …on probation…", "b good", "Alpha: b → c"],
            state: "a 1; b 1; c 1; Alpha c on trial after b"),
        LookRow(
            "a binding to a third module after the second one was left", .two + [.write("c")],
            [
                .bind("Alpha", to: "b"), .look, .bind("Alpha", to: "a"), .look,
                .bind("Alpha", to: "c"),
            ],
            steps: "make the first b 1, switch, switch, make the first c 1, switch",
            told: ["Alpha: a → b", "Alpha: b → a", "Alpha: a → c"],
            state: "a 1; b 1; c 1; Alpha c on trial after a"),
        LookRow(
            "a binding whose trial has ended well", .two,
            [.bind("Alpha", to: "b"), .look, .call("b"), .pass(.seconds(120))],
            steps: "make the first b 1, switch", told: ["Alpha: a → b", "b good"],
            state: "a 1; b 1; Alpha b"),
        LookRow(
            "a binding whose trial has ended badly", .next(.bad),
            [.bind("Alpha", to: "b"), .look, .call("b")],
            steps: "make the first b 1, switch, switch",
            told: ["Alpha: a → b", "b bad", "Alpha: b → a"], state: "a 1; b 1; Alpha a"),
        LookRow(
            "a bad binding in a manifest that cannot be written",
            .next(.bad) + [.makeManifestReadOnly],
            [.bind("Alpha", to: "b"), .look, .call("b"), .look],
            steps: "make the first b 1, switch, switch",
            told: ["Alpha: a → b", "b bad", "Alpha: b → a"], state: "a 1; b 1; Alpha a ruled"),
        LookRow(
            "a bad binding whose module the store keeps out from now on",
            .next(.bad) + [.makeStore],
            [.bind("Alpha", to: "b"), .look, .call("b"), .look, .bind("Alpha", to: "b")],
            steps: "make the first b 1, switch, switch",
            told: ["Alpha: a → b", "b bad", "Alpha: b → a", "kept: …"],
            state: "a 1; b 1; Alpha a told"),
    ]

    static let shares: [LookRow] = [
        LookRow(
            "a canary", .two, [.share("Alpha", with: "b")], steps: "make the first b 1, switch",
            told: ["Alpha: a 90 b 10"], state: "a 1; b 1; Alpha a 10 of 100 b judges b"),
        LookRow(
            "a canary that gets more", .two,
            [.share("Alpha", with: "b"), .look, .share("Alpha", with: "b", 30)],
            steps: "make the first b 1, switch", told: ["Alpha: a 90 b 10", "Alpha: a 70 b 30"],
            state: "a 1; b 1; Alpha a 30 of 100 b judges b"),
        LookRow(
            "a canary that gets nothing any more", .two,
            [.share("Alpha", with: "b"), .look, .bind("Alpha", to: "a")],
            steps: "make the first b 1, switch", told: ["Alpha: a 90 b 10", "Alpha: a 1"],
            state: "a 1; b 1; Alpha a"),
        LookRow(
            "a canary that gets all", .two,
            [.share("Alpha", with: "b"), .look, .bind("Alpha", to: "b")],
            steps: "make the first b 1, switch, switch",
            told: ["Alpha: a 90 b 10", "Alpha: a → b"],
            state: "a 1; b 1; Alpha b on trial after a"),
        LookRow(
            "a canary that does not load", .next(.doesNotLoad),
            [.share("Alpha", with: "b"), .look],
            steps: "make the first b 1", told: ["kept: …no code…"],
            state: "a 1; b cannot load 1; Alpha a told"),
        LookRow(
            "a canary that is bad", .next(.bad), [.share("Alpha", with: "b"), .look, .call("b")],
            steps: "make the first b 1, switch", told: ["Alpha: a 90 b 10", "b bad"],
            state: "a 1; b 1; Alpha a"),
        LookRow(
            "another canary while one is judged", .two + [.write("c")],
            [.share("Alpha", with: "b"), .look, .share("Alpha", with: "c")],
            steps: "make the first b 1, switch",
            told: ["Alpha: a 90 b 10", "kept: …on probation…"],
            state: "a 1; b 1; Alpha a 10 of 100 b judges b told"),
        LookRow(
            "a canary that is switched off", .two,
            [.share("Alpha", with: "b"), .look, .disable("b")],
            steps: "make the first b 1, switch, switch",
            told: ["Alpha: a 90 b 10", "Alpha: a 1", "kept: …", "b 1 stopped"],
            state: "a 1; Alpha a told"),
    ]
}
