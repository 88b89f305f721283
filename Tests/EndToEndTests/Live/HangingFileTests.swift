// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@Suite("A running host whose module gets a file that hangs", .onOwnThreads, .patiently)
struct HangingFileTests {
    @Test(
        "refuses it by name, answers others, and ends when it is asked to",
        arguments: [("CONSTRUCTOR", "load"), ("REGISTER", "register")])
    func hangs(place: String, word: String) throws {
        let workspace = try Workspace.bare()
        try workspace.drop(CFixtures.module("MisbehavesInC"), as: "c.so")
        let shell = try LiveEaves("shell", in: workspace.url)
        try shell.type("launch misbehave-in-c")
        try shell.wait(for: "usage\n")
        try workspace.drop(
            CFixtures.module("MisbehavesInC", macros: [place: "for (;;) pause()"]), as: "c.so")
        try shell.wait(
            for: "warning: refused misbehaves-in-c generation 2, and generation 1 serves on: "
                + "misbehaves-in-c: did not \(word) within 10.0 seconds (Plugins/c.so)\n")
        let generations = try workspace.eaves("generations")
        #expect(
            generations.errors == "" && generations.output.contains("  refused  -\n"),
            "\(generations)")
        try shell.type("launch misbehave-in-c")
        try shell.wait(for: "usage\n")
        shell.signal(SIGTERM)
        #expect(try shell.ending().code == 128 + SIGTERM)
    }
}
