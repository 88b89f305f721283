// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("eaves audit")
struct AuditCommandTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
        try workspace.addFile("Plugins/users.so", "users")
        try workspace.addSources("Late", "late")
    }

    @Test("warns of a module that is not built, and judges the others strictly")
    func unbuilt() throws {
        let outcome = workspace.eaves("audit", "--strict")
        #expect(outcome.output == "nothing is dead in what could be looked at\n")
        #expect(
            outcome.errors == """
                warning: the audit did not look at modules that are not built: late; all that they may ask for \
                counts as needed
                fix: run 'eaves build', which builds them or says what they lack

                """)
        #expect(outcome.code == 0)
        #expect(try lists() == [["late"], []])
    }

    @Test("fails strictly for a module whose file is damaged")
    func unread() throws {
        try workspace.write("Plugins/late.so", "half a module")
        let outcome = workspace.eaves("audit", "--strict")
        #expect(outcome.output == "nothing is dead in what could be looked at\n")
        #expect(
            outcome.errors.hasPrefix(
                "error: late: the needs are unknown without a file that can be read"))
        #expect(outcome.code == 65)
        #expect(workspace.eaves("audit").code == 0)
        #expect(try lists() == [[], ["late"]])
    }

    /// The modules that are not built, and those that cannot be read, as JSON tells them.
    private func lists() throws -> [[String]?] {
        let text = workspace.eaves("audit", "--json").output
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return ["unbuilt", "unread"].map { object?[$0] as? [String] }
    }
}
