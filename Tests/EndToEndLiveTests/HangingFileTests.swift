// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("A running host whose module gets a file that hangs", .onOwnThreads, .patiently)
struct HangingFileTests {
    @Test(
        "refuses it by name, answers others, and ends when it is asked to",
        arguments: [("CONSTRUCTOR", "load"), ("REGISTER", "register")])
    func hangs(place: String, word: String) throws {
        let workspace = try Workspace.bare()
        try workspace.drop(CFixtures.module("MisbehavesInC"), as: "c.so")
        let shell = try LiveEaves("shell", in: workspace.url)
        try shell.type("launch misbehave-in-c", thenWaitFor: "usage\n")
        try workspace.drop(
            CFixtures.module("MisbehavesInC", macros: [place: "for (;;) pause()"]), as: "c.so")
        try shell.wait(
            for: "warning: refused misbehaves-in-c generation 2, and generation 1 serves on: "
                + "misbehaves-in-c: did not \(word) within 10.0 seconds (Plugins/c.so)\n")
        let generations = try workspace.eaves("generations")
        #expect(
            generations.errors == "" && generations.output.contains("  refused  -\n"),
            "\(generations)")
        try shell.type("launch misbehave-in-c", thenWaitFor: "usage\n")
        // The file is kept out, and what served takes its place, here and in whatever starts now.
        let reason = "did not \(word) within 10.0 seconds in a host that stays up (Plugins/c.so)"
        let list = try workspace.eaves("list")
        #expect(list.errors.contains("\(reason); the last good file takes its place"), "\(list)")
        let launch = try workspace.eaves("launch", "misbehave-in-c")
        #expect(launch.code == 0 && launch.output == "usage\n", "\(launch)")
        #expect(try shell.end(by: SIGTERM).code == 128 + SIGTERM)
    }

    @Test("lets a fresh process take over, without the file, if the constructors of one hang")
    func restart() throws {
        let workspace = try Workspace.bare()
        let waits = "while (access(\"stop\", F_OK)) usleep(10000)"
        try workspace.drop(CFixtures.module("MisbehavesInC", macros: ["LAUNCH": waits]), as: "c.so")
        let host = try LiveEaves("launch", "--live", "misbehave-in-c", in: workspace.url)
        // The feature is under way as soon as the host can be asked.
        try Patience.wait(for: "the host") {
            try workspace.eaves("generations").output.contains("serving")
        }
        try workspace.drop(
            CFixtures.module("MisbehavesInC", macros: ["CONSTRUCTOR": "for (;;) pause()"]),
            as: "c.so")
        try host.wait(
            for: "starting a fresh process: the constructors of 'misbehaves-in-c' do not return\n")
        try host.wait(for: "the last good file takes its place", "this process took over from ")
        try workspace.folder.write("", to: "stop")
        #expect(try host.ending().code == 0)
        #expect(host.seen.contains("usage\n"))
    }
}
