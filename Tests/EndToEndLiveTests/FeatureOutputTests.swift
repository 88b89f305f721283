// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("What a feature prints, and where it begins", .onOwnThreads, .patiently)
struct FeatureOutputTests {
    private let folder: TemporaryFolder
    private var eaves: Eaves { Eaves(folder: folder.url, owner: folder) }

    init() throws { folder = try BuiltFixture.isolated.get().copy() }

    private static let places = [[], ["--live"], ["--isolate", "clerk"]]

    @Test(
        "is written in its order, whatever ends the process",
        arguments: ["exit", "quick_exit", "trap", "abort"], [places[0], places[2]])
    func order(_ way: String, _ options: [String]) throws {
        let outcome = try eaves(
            ["launch"] + options
                + ["clerk", "-b", "say:one", "print:two", "say:three", "type:four", way],
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(outcome.output == "one\ntwo\nthree\nfour", "\(outcome)")
        switch way {
        case _ where !options.isEmpty: #expect(outcome.code == 70)
        case "exit", "quick_exit": #expect(outcome.code == 3)
        default: #expect(outcome.signal != nil)
        }
    }

    @Test(
        "has ten seconds when a signal asks it to end, also if it never waits for anything",
        arguments: places, [SIGINT, SIGTERM])
    func polling(_ options: [String], _ number: Int32) throws {
        let launch = try LiveEaves(
            ["launch"] + options + ["clerk", "-b", "say:begun", "poll"], in: folder.url)
        try launch.wait(for: "begun\n")
        #expect(try launch.end(by: number).signal == number)
        #expect(launch.seen == "begun\nasked to end\n")
    }

    @Test(
        "keeps its thread when it awaits an actor, and has the first one for the main actor",
        arguments: places)
    func thread(_ options: [String]) throws {
        let outcome = try eaves(["launch"] + options + ["clerk", "-b", "thread", "main"])
        #expect(outcome.output == "the same thread\nthe first thread\n", "\(outcome)")
        #expect(outcome.code == 0)
    }
}
