// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Files that a host does not take.
extension LookRow {
    static let refusals: [LookRow] = [
        LookRow(
            "a file that is no module", .serving, [.write("a", [.noModule])], steps: "refuse a 2",
            told: ["a refused: …"], state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "a file that does not load", .serving, [.write("a", [.doesNotLoad])],
            steps: "make a 2", told: ["a 2 refused: …no code…"], state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "a file that does not return when it registers", .serving, [.write("a", [.hangs])],
            steps: "make a 2", told: ["a 2 refused: …did not register within…"],
            state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "a file that does not start", .serving, [.write("a", [.living, .doesNotStart])],
            steps: "make a 2, start a", told: ["a 2 refused: …not healthy…"],
            state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "a refused file that is still the same", .serving,
            [.write("a", [.doesNotLoad]), .look, .pass(.seconds(9))], steps: "make a 2",
            told: ["a 2 refused: …"], state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "a refused file with other settings", .serving,
            [.write("a", [.doesNotLoad]), .look, .set("a")], steps: "make a 2, make a 2",
            told: ["a 2 refused: …", "a 2 refused: …"], state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "another file after a refused one", .serving,
            [.write("a", [.doesNotLoad]), .look, .write("a")], steps: "make a 2, make a 3, switch",
            told: ["a 2 refused: …", "a 1 → a 3"], state: "a 3, on trial after 1; Alpha a"),
        LookRow(
            "the file of before after a refused one", .serving,
            [.write("a", [.doesNotLoad]), .look, .putBack("a", 1)], steps: "make a 2",
            told: ["a 2 refused: …"], state: "a 1; Alpha a"),
        LookRow(
            "a refused file that is gone", .serving,
            [.write("a", [.doesNotLoad]), .look, .remove("a")], steps: "make a 2",
            told: ["a 2 refused: …"], state: "a 1; Alpha a"),
        LookRow(
            "a refused file whose module is switched off", .serving,
            [.write("a", [.doesNotLoad]), .look, .disable("a")], steps: "make a 2, switch",
            told: ["a 2 refused: …", "a 1 stopped"], state: ""),
        LookRow(
            "a file whose types a fresh process alone can take", .serving,
            [.write("a", [.hasOldTypes])], steps: "make a 2", told: ["a 2 refused: …same names…"],
            state: "a 1, refuses 2, wants a fresh process; Alpha a"),
        LookRow(
            "a file that there is no room for", .serving, [.isFull, .write("a"), .look],
            steps: "make a 2", told: ["a 2 refused: …"],
            state: "a 1, refuses 2, wants a fresh process; Alpha a"),
        LookRow(
            "a file that there is room for now", .serving, [.isFull, .write("a"), .look, .hasRoom],
            steps: "make a 2, make a 2, switch", told: ["a 2 refused: …", "a 1 → a 2"],
            state: "a 2, on trial after 1; Alpha a"),
        LookRow(
            "a file after too many whose objects live", .crowd, [.write("a")],
            steps: "refuse a 17", told: ["a 17 refused: …16 generations…"],
            state: "a 16, on trial after 1, refuses 17, wants a fresh process; Alpha a"),
        LookRow(
            "a file after many whose objects are gone", .crowd,
            [.write("a"), .look, .letGo("a"), .look],
            steps: "refuse a 17, make a 17, switch", told: ["a 17 refused: …", "a 16 → a 17"],
            state: "a 17, on trial after 1; Alpha a"),
        LookRow(
            "a file that the store keeps out", .serving, [.write("a"), .keepOut("a", 2)],
            steps: "refuse a 2", told: ["a 2 refused: …its calls failed…"],
            state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "a file that the store keeps out while it serves", .serving, [.keepOut("a", 1)],
            state: "a 1; Alpha a"),
        LookRow(
            "a file that takes away a service", .serving, [.write("a", provides: ["Beta"])],
            steps: "refuse a 2", told: ["a 2 refused: …no longer provides Alpha…"],
            state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "a file that takes away a service which a module that is switched off has",
            .two, [.disable("b"), .write("a", provides: [])], steps: "refuse a 2",
            told: ["a 2 refused: …no longer provides Alpha…"], state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "a file that takes away a service which is bound to it", .two,
            [.write("a", provides: [])], steps: "refuse a 2",
            told: ["a 2 refused: …no longer provides Alpha…"], state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "a file that takes away a service which two others have",
            .serving + [.write("b"), .write("c")], [.write("a", provides: [])],
            steps: "refuse a 2", told: ["a 2 refused: …no longer provides Alpha…"],
            state: "a 1, refuses 2; Alpha a told"),
        LookRow(
            "a file that gives up a service which is bound to another module now", .two,
            [.write("a", provides: []), .bind("Alpha", to: "b")],
            steps: "make a 2, make the first b 1, switch", told: ["a 1 → a 2", "Alpha: a → b"],
            state: "a 2, on trial after 1; b 1; Alpha b on trial after a"),
        LookRow(
            "a file that gives up a service for a module that does not load", .next(.doesNotLoad),
            [.write("a", provides: []), .bind("Alpha", to: "b")],
            steps: "make a 2, make the first b 1", told: ["a 2 refused: …", "kept: …"],
            state: "a 1, refuses 2; b cannot load 1; Alpha a told"),
        LookRow(
            "a file that is refused for another reason than its signature", .signed,
            [.write("a", [.doesNotLoad]), .sign("a"), .look, .spoil("signers")],
            steps: "make a 2", told: ["a 2 refused: …no code…"], state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "an interface whose key is revoked, and one before its signature",
            .signed + [.write("i", [.interface], provides: []), .sign("i"), .load("i")],
            [
                .spoil("signers"), .look, .mend("signers"),
                .write("i", [.interface], provides: []), .look, .sign("i"),
            ], steps: "make a 1, make i 1, make i 2, make i 2",
            told: [
                "kept: a: …signature…", "kept: i: …signature…",
                "i 2 refused: …signature…", "kept: …cannot exchange an interface…",
            ], state: "a 1; i 1, refuses 2, wants a fresh process; Alpha a"),
        LookRow(
            "a module that does not load when it is first asked for", [.write("a", [.doesNotLoad])],
            [.ask("Alpha"), .look, .ask("Alpha")], state: "a cannot load 1"),
        LookRow(
            "a mended file of a module that did not load", [.write("a", [.hangs]), .ask("Alpha")],
            [.write("a"), .look, .ask("Alpha")], state: "a 2; Alpha a"),
    ]
}

extension [Event] {
    fileprivate static let signed: Self = [
        .demandSignatures, .write("a"), .sign("a"), .ask("Alpha"),
    ]
    /// Sixteen generations of which callers keep objects.
    fileprivate static let crowd =
        serving + [.keep("a")] + (2...16).flatMap { _ in [.write("a"), .look] as Self }
}
