// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Files that are judged.
extension LookRow {
    static let trials: [LookRow] = [
        LookRow(
            "a trial without calls goes on", .serving,
            [.write("a"), .look, .pass(.seconds(3600))], steps: "make a 2, switch",
            told: ["a 1 → a 2"], state: "a 2, on trial after 1; Alpha a"),
        LookRow(
            "a trial without calls ends after a day", .serving,
            [.write("a"), .look, .pass(.seconds(90_000))], steps: "make a 2, switch",
            told: ["a 1 → a 2", "a good"], state: "a 2; Alpha a"),
        LookRow(
            "a trial with good calls", .serving,
            [.write("a"), .look, .call("a"), .pass(.seconds(120))], steps: "make a 2, switch",
            told: ["a 1 → a 2", "a good"], state: "a 2; Alpha a"),
        LookRow(
            "a bad file", .serving, [.write("a", [.bad]), .look, .call("a"), .look],
            steps: "make a 2, switch, go back to a 1, switch",
            told: ["a 1 → a 2", "a bad", "a 2 → a 1"], state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "bad settings", .next(.bad),
            [
                .write("a", [.bad]), .look, .pass(.seconds(90_000)),
                .look, .set("a"), .look, .call("a"),
            ],
            steps: "make a 2, switch, make a 2, switch, go back to a 2, switch",
            told: ["a 1 → a 2", "a good", "a 2 → a 2", "a bad", "a 2 → a 2"],
            state: "a 2, refuses 2; Alpha a"),
        LookRow(
            "a newer file after a bad one", .serving,
            [.write("a", [.bad]), .look, .call("a"), .look, .write("a")],
            steps: "make a 2, switch, go back to a 1, switch, make a 3, switch",
            told: ["a 1 → a 2", "a bad", "a 2 → a 1", "a 1 → a 3"],
            state: "a 3, on trial after 1; Alpha a"),
        LookRow(
            "the file of before after a bad one", .serving,
            [.write("a", [.bad]), .look, .call("a"), .look, .putBack("a", 1)],
            steps: "make a 2, switch, go back to a 1, switch",
            told: ["a 1 → a 2", "a bad", "a 2 → a 1"],
            state: "a 1; Alpha a"),
        LookRow(
            "a bad file that comes once more, without a store", .serving,
            [
                .write("a", [.bad]), .look, .call("a"), .look, .putBack("a", 1), .look,
                .putBack("a", 2),
            ],
            steps: "make a 2, switch, go back to a 1, switch, make a 2, switch",
            told: ["a 1 → a 2", "a bad", "a 2 → a 1", "a 1 → a 2"],
            state: "a 2, on trial after 1; Alpha a"),
        LookRow(
            "a bad file that comes once more, with a store", .serving + [.makeStore],
            [
                .write("a", [.bad]), .look, .call("a"), .look, .putBack("a", 1), .look,
                .putBack("a", 2),
            ],
            steps: "make a 2, switch, go back to a 1, switch, make a 1",
            told: ["a 1 → a 2", "a bad", "a 2 → a 1"], state: "a 1; Alpha a"),
        LookRow(
            "a bad file after one that was not judged to the end", .serving,
            [.write("a"), .look, .write("a", [.bad]), .look, .call("a")],
            steps: "make a 2, switch, make a 3, switch, go back to a 1, switch",
            told: ["a 1 → a 2", "a 2 → a 3", "a bad", "a 3 → a 1"], state: "a 1, refuses 3; Alpha a"
        ),
        LookRow(
            "a bad file after one that has passed", .serving,
            [.write("a"), .look, .pass(.seconds(90_000)), .write("a", [.bad]), .look, .call("a")],
            steps: "make a 2, switch, make a 3, switch, go back to a 2, switch",
            told: ["a 1 → a 2", "a good", "a 2 → a 3", "a bad", "a 3 → a 2"],
            state: "a 2, refuses 3; Alpha a"),
        LookRow(
            "a newer file that comes together with the verdict about a bad one", .serving,
            [.write("a", [.bad]), .look, .call("a"), .write("a")],
            steps: "make a 2, switch, go back to a 1, switch, make a 3, switch",
            told: ["a 1 → a 2", "a bad", "a 2 → a 1", "a 1 → a 3"],
            state: "a 3, on trial after 1; Alpha a"),
        LookRow(
            "a newer file that was refused before the verdict", .serving,
            [.write("a", [.bad]), .look, .write("a", [.doesNotLoad]), .look, .call("a"), .look],
            steps: "make a 2, switch, make a 3, go back to a 1, switch",
            told: ["a 1 → a 2", "a 3 refused: …", "a bad", "a 2 → a 1"],
            state: "a 1, refuses 3; Alpha a"),
        LookRow(
            "a bad file that alone has a service", .serving,
            [.write("a", [.bad], provides: ["Alpha", "Beta"]), .look, .call("a"), .look],
            steps: "make a 2, switch, go back to a 1, switch",
            told: ["a 1 → a 2", "a bad", "kept: …Beta…", "a 2 → a 1"],
            state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "a bad file that is gone stands until there is a file", .serving,
            [.write("a", [.bad]), .look, .call("a"), .remove("a")], steps: "make a 2, switch",
            told: ["a 1 → a 2", "a bad"], state: "a 2, goes back to 1; Alpha a"),
        LookRow(
            "a bad file of a module that is switched off", .serving,
            [
                .write("a", [.bad]), .look, .call("a"), .disable("a"), .look, .enable("a"),
                .write("a"), .look, .ask("Alpha"),
            ],
            steps: "make a 2, switch, switch", told: ["a 1 → a 2", "a bad", "a 2 stopped"],
            state: "a 3; Alpha a"),
        LookRow(
            "a bad file after one that the store keeps out", .serving,
            [.write("a", [.bad]), .look, .keepOut("a", 1), .call("a"), .look],
            steps: "make a 2, switch, go back to a 1",
            told: ["a 1 → a 2", "a bad", "a 1 refused: …"],
            state: "a 2; Alpha a"),
        LookRow(
            "the file of before in the place of one on trial", .serving,
            [.write("a"), .look, .putBack("a", 1)], steps: "make a 2, switch, make a 1, switch",
            told: ["a 1 → a 2", "a 2 → a 1"], state: "a 1; Alpha a"),
        LookRow(
            "a newer file in the place of one on trial", .serving,
            [.write("a"), .look, .write("a")], steps: "make a 2, switch, make a 3, switch",
            told: ["a 1 → a 2", "a 2 → a 3"], state: "a 3, on trial after 1; Alpha a"),
        LookRow(
            "a newer file waits for the trial if the manifest wants that",
            .serving + [.judgeOneAtATime], [.write("a"), .look, .write("a"), .look],
            steps: "make a 2, switch", told: ["a 1 → a 2", "kept: …has to wait…"],
            state: "a 2, on trial after 1, lets 3 wait; Alpha a"),
        LookRow(
            "an unfinished file that waits for the trial says so once",
            .serving + [.judgeOneAtATime],
            [
                .write("a"), .look, .write("a", [.cutShort]), .look, .pass(.seconds(2)), .look,
                .pass(.seconds(2)), .look, .pass(.seconds(2)),
            ], steps: "make a 2, switch", told: ["a 1 → a 2", "kept: …has to wait…"],
            state: "a 2, on trial after 1, lets 3 wait; Alpha a"),
        LookRow(
            "a newer file whose waiting is over", .serving + [.judgeOneAtATime],
            [.write("a"), .look, .write("a"), .look, .call("a"), .pass(.seconds(120))],
            steps: "make a 2, switch, make a 3, switch",
            told: ["a 1 → a 2", "kept: …", "a good", "a 2 → a 3"],
            state: "a 3, on trial after 2; Alpha a"),
        LookRow(
            "a newer file that has waited for a bad one", .serving + [.judgeOneAtATime],
            [.write("a", [.bad]), .look, .write("a"), .look, .call("a"), .look],
            steps: "make a 2, switch, go back to a 1, switch, make a 3, switch",
            told: ["a 1 → a 2", "kept: …", "a bad", "a 2 → a 1", "a 1 → a 3"],
            state: "a 3, on trial after 1; Alpha a"),
        LookRow(
            "a file that is judged when the host is killed is judged on",
            .serving + [.makeStore],
            [.write("a"), .look, .kill, .ask("Alpha"), .look, .call("a"), .pass(.seconds(120))],
            steps: "make a 2, switch", told: ["a 1 → a 2", "a good"], state: "a 2; Alpha a"),
        LookRow(
            "a bad file goes back to the copy of the last good one after the host was killed",
            .serving + [.makeStore],
            [.write("a", [.bad]), .look, .kill, .ask("Alpha"), .look, .call("a"), .look],
            steps: "make a 2, switch, make a 1, switch",
            told: ["a 1 → a 2", "a bad", "a 2 → a 1"], state: "a 1; Alpha a"),
        LookRow(
            "a bad binding goes back after the host was killed", .next(.bad) + [.makeStore],
            [
                .bind("Alpha", to: "b"), .look, .kill, .ask("Alpha"), .look, .call("b"), .look,
            ],
            steps: "make the first b 1, switch, make the first a 1, switch",
            told: ["Alpha: a → b", "b bad", "Alpha: b → a"], state: "a 1; b 1; Alpha a"),
        LookRow(
            "another file after the host was killed is not judged for the one before",
            .serving + [.makeStore],
            [.write("a", [.bad]), .look, .kill, .write("a"), .ask("Alpha"), .look],
            steps: "make a 2, switch", told: ["a 1 → a 2"], state: "a 3; Alpha a"),
        LookRow(
            "a manifest that wants no trials", .serving + [.judgeNothing], [.write("a", [.bad])],
            steps: "make a 2, switch", told: ["a 1 → a 2"], state: "a 2; Alpha a"),
    ]
}
