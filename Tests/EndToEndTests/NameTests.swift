// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("names of files that are not UTF-8", .onOwnThreads)
struct NameTests {
    @Test("are reported by every command that meets one, and harm no other module")
    func file() throws {
        let workspace = try Workspace(modules: ["users", "users-memory"])
        let copied = try Eaves.shell(
            #"cp Plugins/users.so "$(printf 'Plugins/n\377.so')""#, in: workspace.url)
        #expect(copied.code == 0, "\(copied)")
        let message = "n\u{FFFD}: cannot open the file: its name is not UTF-8"
        for _ in 0..<2 {
            let listed = try workspace.eaves("list")
            #expect(listed.code == 0)
            #expect(listed.errors.contains("warning: \(message)"), "\(listed)")
            #expect(listed.errors.contains("fix: give it a name in UTF-8"))
            #expect(try workspace.list().module("n\u{FFFD}")?.state == "invalid")
            #expect(try workspace.eaves("validate").errors.contains(message))
            #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
        }
        let inspected = try Eaves.shell(
            #"eaves inspect "$(printf 'Plugins/n\377.so')""#, in: workspace.url)
        #expect(inspected.code == 74)
        #expect(inspected.errors.contains("its name is not UTF-8"), "\(inspected)")
    }
}
