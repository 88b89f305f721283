// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Files and entries of modules that serve.
extension LookRow {
    static let files: [LookRow] = [
        LookRow("nothing new", .serving, [], state: "a 1; Alpha a"),
        LookRow(
            "a new file takes the place of the one that serves, on trial", .serving, [.write("a")],
            steps: "make a 2, switch", told: ["a 1 → a 2"], state: "a 2, on trial after 1; Alpha a"),
        LookRow(
            "a new file of a module that no code has asked for", [.write("a")], [.write("a")],
            state: ""),
        LookRow(
            "a module that was asked for between two looks", [.write("a")],
            [.write("a"), .ask("Alpha")], state: "a 2; Alpha a"),
        LookRow(
            "a file that was only touched", .serving, [.touch("a")], steps: "make a 1",
            state: "a 1; Alpha a"),
        LookRow(
            "a new file with something to start", .serving, [.write("a", [.living])],
            steps: "make a 2, start a, switch", told: ["a 1 → a 2"],
            state: "a 2, on trial after 1; Alpha a"),
        LookRow(
            "new files of two modules, of which one needs the other",
            [
                .write("a", needs: ["Beta"]), .write("b", provides: ["Beta"]), .ask("Alpha"),
                .ask("Beta"),
            ],
            [.write("a", [.living], needs: ["Beta"]), .write("b", [.living], provides: ["Beta"])],
            steps: "make a 2, make b 2, start b, start a, switch",
            told: ["b 1 → b 2", "a 1 → a 2"],
            state: "a 2, on trial after 1; b 2, on trial after 1; Alpha a; Beta b"),
        LookRow(
            "a new file that provides another service as well", .serving,
            [.write("a", provides: ["Alpha", "Beta"])], steps: "make a 2, switch",
            told: ["a 1 → a 2"], state: "a 2, on trial after 1; Alpha a; Beta a"),
        LookRow(
            "other settings make a generation of the same code, on trial", .serving, [.set("a")],
            steps: "make a 1, switch", told: ["a 1 → a 1"], state: "a 1, on trial after 1; Alpha a"),
        LookRow(
            "another process for the same code", .serving, [.isolate("a")],
            steps: "make a 1, switch", told: ["a 1 → a 1"], state: "a 1; Alpha a"),
        LookRow("a file that is gone", .serving, [.remove("a")], state: "a 1; Alpha a"),
        LookRow(
            "another file after one that was gone", .serving, [.remove("a"), .look, .write("a")],
            steps: "make a 2, switch", told: ["a 1 → a 2"], state: "a 2, on trial after 1; Alpha a"),
        LookRow(
            "a module that is switched off", .serving, [.disable("a")], steps: "switch",
            told: ["a 1 stopped"], state: ""),
        LookRow(
            "a module that is switched off, and on again", .serving,
            [.disable("a"), .look, .enable("a"), .look, .ask("Alpha")], steps: "switch",
            told: ["a 1 stopped"], state: "a 1; Alpha a"),
        LookRow(
            "a module that is switched off, whose service another loaded one has",
            [
                .write("a"), .write("b", provides: ["Alpha", "Beta"]), .bind("Alpha", to: "a"),
                .ask("Alpha"), .ask("Beta"),
            ],
            [.disable("a"), .bind("Alpha", to: "b")], steps: "switch",
            told: ["a 1 stopped", "Alpha: a → b"], state: "b 1; Alpha b; Beta b"),
        LookRow(
            "a file that is written in pieces", .serving, [.write("a", [.cutShort])],
            state: "a 1, unfinished; Alpha a"),
        LookRow(
            "an unfinished file after a second", .serving,
            [.write("a", [.cutShort]), .look, .pass(.seconds(1))], steps: "refuse a 2",
            told: ["a refused: …"], state: "a 1, refuses 2; Alpha a"),
        LookRow(
            "an unfinished file that has grown", .serving,
            [
                .write("a", [.cutShort]), .look, .pass(.milliseconds(999)),
                .write("a", [.cutShort]),
                .look, .pass(.milliseconds(999)),
            ],
            state: "a 1, unfinished; Alpha a"),
        LookRow(
            "an unfinished file that was whole in between", .serving,
            [
                .write("a", [.cutShort]), .look, .putBack("a", 1), .look, .pass(.seconds(5)),
                .putBack("a", 2),
            ],
            state: "a 1, unfinished; Alpha a"),
        LookRow(
            "an unfinished file that is whole now", .serving,
            [.write("a", [.cutShort]), .look, .write("a")], steps: "make a 3, switch",
            told: ["a 1 → a 3"], state: "a 3, on trial after 1; Alpha a"),
        LookRow(
            "an unfinished file that is gone", .serving,
            [.write("a", [.cutShort]), .look, .remove("a")], state: "a 1; Alpha a"),
        LookRow(
            "a file that another one replaces while the host looks", .serving,
            [.write("a"), .meanwhile([.write("a")]), .look], steps: "make a 2, make a 3, switch",
            told: ["a 1 → a 3"], state: "a 3, on trial after 1; Alpha a"),
        LookRow(
            "an interface that has changed", .serving + .interface,
            [.write("i", [.interface], provides: [])],
            told: ["kept: …cannot exchange an interface…"],
            state: "a 1; i 1, refuses 2, wants a fresh process; Alpha a"),
        LookRow(
            "an interface that has changed together with its modules", .serving + .interface,
            [.write("i", [.interface], provides: []), .write("a")], steps: "make a 2, switch",
            told: ["kept: …cannot exchange an interface…", "a 1 → a 2"],
            state: "a 2, on trial after 1; i 1, refuses 2, wants a fresh process; Alpha a"),
        LookRow(
            "an interface that is as before again", .serving + .interface,
            [.write("i", [.interface], provides: []), .look, .putBack("i", 1)], told: ["kept: …"],
            state: "a 1; i 1; Alpha a"),
        LookRow(
            "files that were built with a newer interface wait for a fresh process, in one message",
            .serving + [.write("b", provides: ["Beta"]), .ask("Beta")] + .interface, .newInterface,
            steps: "make a 2, make b 2", told: ["kept: …cannot exchange an interface…'a', 'b'…"],
            state: "a 1, refuses 2, wants a fresh process; b 1, refuses 2, wants a fresh process; "
                + "i 1, refuses 2, wants a fresh process; Alpha a; Beta b"),
        LookRow(
            "a file that was built with a newer interface, and comes after that",
            .serving + .interface,
            [
                .write("i", [.interface], provides: []), .look, .write("a", [.needsInterface]),
            ],
            steps: "make a 2", told: ["kept: …an interface…", "kept: …an interface…'a'…"],
            state: "a 1, refuses 2, wants a fresh process; i 1, refuses 2, wants a fresh process; "
                + "Alpha a"),
        LookRow(
            "a file that was built with an interface that is as before again",
            .serving + [.write("b", provides: ["Beta"]), .ask("Beta")] + .interface,
            .newInterface + [.look, .putBack("i", 1), .putBack("b", 1), .look],
            steps: "make a 2, make b 2, make a 2, switch",
            told: ["kept: …an interface…'a', 'b'…", "a 1 → a 2"],
            state: "a 2, on trial after 1; b 1; i 1; Alpha a; Beta b"),
        LookRow(
            "a module that comes first, and was built with a newer interface",
            .next(.needsInterface) + .interface,
            [.write("i", [.interface], provides: []), .bind("Alpha", to: "b"), .look],
            steps: "make the first b 1", told: ["kept: …an interface…'b'…"],
            state: "a 1; b cannot load 1, wants a fresh process; "
                + "i 1, refuses 2, wants a fresh process; Alpha a told"),
        LookRow(
            "a manifest that cannot be used", .serving,
            [.spoilManifest, .disable("a"), .look, .write("a")], steps: "make a 2, switch",
            told: ["kept: wrong", "a 1 → a 2"], state: "a 2, on trial after 1; Alpha a"),
        LookRow(
            "a host that stops before it makes a generation", .serving,
            [.write("a"), .meanwhile([.stop])], state: "a 1; Alpha a"),
        LookRow(
            "a host that stops when it has made a generation", .serving,
            [.write("a", [.living]), .meanwhile([.pass(.zero), .stop])], steps: "make a 2",
            state: "a 1; Alpha a"),
        LookRow(
            "a service of the program itself", .serving + [.linkedIn("Beta")], [.write("a")],
            steps: "make a 2, switch", told: ["a 1 → a 2"],
            state: "a 2, on trial after 1; Alpha a; Beta linked"),
    ]
}

extension [Event] {
    fileprivate static let interface: Self = [
        .write("i", [.interface], provides: []), .load("i"),
    ]
    /// The interface, and two modules that were built with it.
    fileprivate static let newInterface: Self = [
        .write("i", [.interface], provides: []), .write("a", [.needsInterface]),
        .write("b", [.needsInterface], provides: ["Beta"]),
    ]
}
