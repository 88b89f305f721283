// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// `eaves build --watch` in one process, and a host that follows in another one.
@Suite("edit to live", .onOwnThreads, .patiently)
struct EditToLiveTests {
    @Test(
        "a saved source runs in a live host without a further command, and a mistake leaves the old code"
    )
    func edit() throws {
        let workspace = try Workspace(modules: [])
        for name in ["Common", "Users", "UsersMemory"] {
            try FileManager.default.copyItem(
                at: Repository.sample("Plugins/\(name)"),
                to: workspace.plugins.appendingPathComponent(name))
        }
        let build = try LiveEaves("build", "--watch", in: workspace.url)
        try build.wait(for: "watching for changes")
        let host = try LiveEaves("shell", "--no-build", in: workspace.url)
        try host.type("launch users", thenWaitFor: "1 Alice\n2 Bob\n")
        let source = workspace.plugins.appendingPathComponent("UsersMemory/UsersMemoryModule.swift")
        let text = try String(contentsOf: source, encoding: .utf8)
        // The second of them is built without the driver.
        for name in ["Robert", "Roberta", "Robin"] {
            try text.replacingOccurrences(of: "Bob", with: name)
                .write(to: source, atomically: true, encoding: .utf8)
            try host.wait(for: "swapped users-memory: generation ")
            try host.type("launch users", thenWaitFor: "1 Alice\n2 \(name)\n")
        }
        try text.replacingOccurrences(of: "\"Bob\"", with: "Bob")
            .write(to: source, atomically: true, encoding: .utf8)
        try build.wait(for: "error: cannot find 'Bob' in scope")
        try build.wait(for: "error: users-memory: does not compile")
        try host.type("launch users", thenWaitFor: "1 Alice\n2 Robin\n")
        try text.write(to: source, atomically: true, encoding: .utf8)
        try host.wait(for: "swapped users-memory: generation ")
        try host.type("launch users", thenWaitFor: "1 Alice\n2 Bob\n")
        #expect(try host.finish().code == 0)
        build.signal(SIGTERM)
        #expect(try build.finish().signal == SIGTERM)
    }
}
