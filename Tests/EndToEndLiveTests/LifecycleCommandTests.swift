// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("The life cycle of modules in the command", .onOwnThreads, .patiently)
struct LifecycleCommandTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
        try workspace.drop(SwiftFixtures.module("lives-long"))
        try workspace.manifest(#"{"manifest": 1, "bindings": {"UserService": "lives-long"}}"#)
    }

    private static let started = "lives-long: warning: started\n"
    private static let stopped = "lives-long: warning: stopped\n"

    @Test("a launch starts the modules that it loads, and stops them when the feature ends")
    func launch() throws {
        let outcome = try workspace.eaves("launch", "--no-build", "users")
        #expect(outcome.code == 0)
        #expect(outcome.output == "1 Ursula\n")
        #expect(outcome.errors == Self.started + Self.stopped)
    }

    @Test("a feature that fails leaves no module running")
    func failing() throws {
        let outcome = try workspace.eaves("launch", "--no-build", "fail")
        #expect(outcome.code == 70)
        #expect(outcome.errors.hasPrefix(Self.started + Self.stopped + "error: "))
    }

    @Test(
        "a signal cancels the feature, then stops the modules, and then ends the process",
        arguments: [SIGINT, SIGTERM], [["--no-build"], ["--no-build", "--live"]])
    func signals(number: Int32, options: [String]) throws {
        let launch = try LiveEaves(["launch"] + options + ["wait-long"], in: workspace.url)
        try launch.wait(for: Self.started)
        try launch.wait(for: "waiting\n")
        #expect(try launch.end(by: number).signal == number)
        // The host keeps nothing back of a feature that writes little.
        #expect(launch.seen.hasSuffix("asked to end\n" + Self.stopped), "\(launch.seen)")
    }

    @Test("a signal to the whole group is one signal, also where another process passes it on")
    func group() throws {
        let launch = try LiveEaves("launch", "--no-build", "--live", "wait-long", in: workspace.url)
        try launch.wait(for: "waiting\n")
        #expect(kill(-launch.process, SIGTERM) == 0)
        #expect(try launch.ending().signal == SIGTERM)
        #expect(launch.seen.hasSuffix("asked to end\n" + Self.stopped), "\(launch.seen)")
    }

    @Test("a signal ends a feature's wait for a line")
    func waitingForLine() throws {
        try workspace.drop(SwiftFixtures.module("waits-for-line"))
        let launch = try LiveEaves("launch", "--no-build", "wait", in: workspace.url)
        try launch.wait(for: "waiting\n")
        #expect(try launch.end(by: SIGINT).signal == SIGINT)
        #expect(launch.seen.hasSuffix(Self.stopped), "\(launch.seen)")
    }

    @Test("a second signal ends the process at once")
    func twice() throws {
        let launch = try LiveEaves("launch", "--no-build", "stubborn", in: workspace.url)
        try launch.wait(for: "waiting\n")
        launch.signal(SIGTERM)
        try launch.wait(for: "stubborn: going on\n")
        #expect(try launch.end(by: SIGINT).signal == SIGINT)
        #expect(!launch.seen.contains(Self.stopped))
    }

    @Test("a signal that the process ignores stays ignored")
    func ignored() throws {
        let outcome = try Eaves.shell(
            """
            trap '' INT
            '\(Eaves.executable.path)' launch --no-build wait-long > out 2>&1 &
            until grep -q waiting out; do sleep 0.05; done
            kill -INT $!
            kill -TERM $!
            wait $!
            echo $?
            """, in: workspace.url)
        #expect(outcome.output == "143\n", "\(outcome)")
    }

    @Test("a shell starts and stops them, also when a signal ends it", arguments: [true, false])
    func shell(quits: Bool) throws {
        let shell = try LiveEaves("shell", "--no-build", in: workspace.url)
        try shell.type("launch users", thenWaitFor: Self.started)
        try shell.wait(for: "1 Ursula\n")
        if quits {
            #expect(try shell.finish().code == 0)
        } else {
            #expect(try shell.end(by: SIGTERM).code == 128 + SIGTERM)
        }
        #expect(shell.seen.hasSuffix(Self.stopped), "\(shell.seen)")
    }

    @Test(
        "a module in C hands its state to its next file, and a file that cannot read it is refused")
    func moduleInC() throws {
        func drop(_ macros: [String: String]) throws {
            let file = try CFixtures.module("CountsInC", macros: macros)
            try workspace.drop(file, as: "counts-in-c.so")
        }
        try drop([:])
        let shell = try LiveEaves("shell", "--no-build", in: workspace.url)
        try shell.type("launch count", thenWaitFor: "starts with 0\n")
        try shell.wait(for: "this is 1\n")
        try drop(["STEP": "10"])
        try shell.wait(for: "starts with 1\n")
        try shell.wait(for: "swapped counts-in-c: generation ")
        try shell.type("launch count", thenWaitFor: "this is 11\n")
        try drop(["FORMAT": "'m'"])
        try shell.wait(for: "the new code cannot read the snapshot of the old code")
        try shell.wait(for: "another format")
        try shell.type("launch count", thenWaitFor: "this is 21\n")
        #expect(try shell.finish().code == 0)
        // The old one is stopped on a thread of its own.
        #expect(shell.seen.contains("stops with 1\n"), "\(shell.seen)")
        #expect(shell.seen.hasSuffix("stops with 21\n"), "\(shell.seen)")
    }
}
