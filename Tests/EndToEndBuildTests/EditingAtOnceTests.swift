// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EndToEndSupport

@Suite("commands that edit the manifest at the same time", .onOwnThreads)
struct EditingAtOnceTests {
    /// Runs lines of the shell at the same time.
    ///
    /// - Returns: What each of them printed to standard error, once all have ended.
    private func together(_ lines: [String], in workspace: Workspace) throws -> Eaves.Outcome {
        let started = lines.map { "{ \($0); } &" }.joined(separator: "\n")
        return try Eaves.shell("\(started)\nwait", in: workspace.url)
    }

    @Test("lose no edit of which they say that it was done")
    func writers() throws {
        let workspace = try Workspace()
        let rounds = 8
        let modules = ["users", "analytics", "home", "login"]
        let outcome = try together(
            modules.map { id in
                """
                n=0; while [ $n -lt \(rounds) ]; do n=$((n+1))
                eaves disable \(id); eaves pin \(id); eaves enable \(id); eaves pin --remove \(id)
                done; eaves disable \(id)
                """
            } + ["eaves swap UserService users-v2", "eaves quarantine clear --all"], in: workspace)
        #expect(!outcome.errors.contains("error:"), "\(outcome)")
        let said = outcome.errors.split(separator: "\n")
        for word in ["disabled ", "enabled "] {
            let count = said.count { $0.hasPrefix(word) }
            #expect(count == modules.count * (word == "enabled " ? rounds : rounds + 1))
        }
        // Whatever was said last about each module is what the manifest says.
        let list = try workspace.list()
        #expect(modules.allSatisfy { list.module($0)?.state == "disabled" }, "\(list)")
        #expect(modules.allSatisfy { list.module($0)?.pinned == false })
        #expect(list.bindings == ["UserService": "users-v2"])
    }

    @Test("keep all swaps in the history")
    func histories() throws {
        let workspace = try Workspace()
        try workspace.manifest(#"{"manifest": 1}"#)
        let outcome = try together(
            [
                "eaves swap UserService users-v2", "eaves swap EventHandler analytics",
                "eaves swap HomeFactory home", "eaves swap LoginFactory login",
            ], in: workspace)
        #expect(!outcome.errors.contains("error:"), "\(outcome)")
        for _ in 0..<4 { #expect(try workspace.eaves("rollback").code == 0) }
        #expect(try workspace.list().bindings == [:])
        #expect(try workspace.eaves("rollback").code == 66)
    }
}
