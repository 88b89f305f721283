// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EavesCLI

@Suite("eaves history and eaves rollback in numbers")
struct HistoryCommandTests {
    @Test("list the changes, and refuse what is no number of steps")
    func history() throws {
        let workspace = try Workspace()
        #expect(workspace.eaves("history").output == "no changes to undo\n")
        for id in ["a", "b"] {
            let file = try workspace.addFile("vendor/\(id).so", id, provides: "Users")
            #expect(workspace.eaves("add", file).code == 0)
        }
        #expect(workspace.eaves("swap", "Users", "a").code == 0)
        #expect(workspace.eaves("swap", "Users", "b").code == 0)
        #expect(workspace.eaves("remove", "b").code == 0)
        let lines = workspace.eaves("history").lines
        try #require(lines.count == 4)
        #expect(lines.first?.hasPrefix("STEPS  TIME") == true)
        #expect(lines[1].hasPrefix("1      20"))
        #expect(lines[1].hasSuffix("  removed b, which Users came from"))
        #expect(lines[3].hasSuffix("  Users: no binding → a"))
        for steps in ["0", "-1", "1.5"] {
            let outcome = workspace.eaves("rollback", "--", steps)
            #expect(outcome.code == 64)
            #expect(
                outcome.errors.contains("expects a number of steps, 1 or more, found '\(steps)'"))
        }
        #expect(workspace.eaves("rollback", "4").code == 66)
        #expect(
            workspace.eaves("rollback", "3").errors
                == "put back b\nUsers is bound to b again\nUsers: b → a\nUsers: a → no binding\n")
        #expect(workspace.eaves("history", "--json").output.contains(#""changes": []"#))
    }
}
