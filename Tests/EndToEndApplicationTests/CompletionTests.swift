// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("completion in a shell", .onOwnThreads, .patiently)
struct CompletionTests {
    @Test("has the words of the manifest that the command would work on")
    func words() throws {
        let workspace = try Workspace()
        #expect(try workspace.eaves("complete", "--", "swap", "UserS").lines == ["UserService"])
        let features = try workspace.eaves("complete", "--", "launch", "us")
        #expect(features.output == "users\tPrint all users\n", "\(features)")
        let named = try workspace.eaves(
            "complete", "--", "--manifest", "none.json", "launch", "")
        #expect(named.output.isEmpty && named.errors.isEmpty && named.code == 0, "\(named)")
        let elsewhere = try Eaves.shell("cd / && eaves complete -- li", in: workspace.url)
        #expect(elsewhere.lines.map { $0.prefix(5) } == ["list\t"])
    }

    @Test("works in bash")
    func bash() throws {
        // This is how bash asks when a person presses the tab key.
        let line = """
            eval "$(eaves completion bash)" && COMP_WORDS=(eaves launch us) COMP_CWORD=2 \
            && _eaves_complete && printf '%s\\n' "${COMPREPLY[@]}" && complete -p eaves
            """
        let workspace = try Workspace()
        let outcome = try Eaves.run(
            URL(fileURLWithPath: "/bin/bash"), ["-c", line], in: workspace.url,
            environment: ["PATH": "\(Repository.programs):/usr/bin:/bin"])
        #expect(
            outcome.output == """
                users
                complete -o bashdefault -o default -F _eaves_complete eaves

                """, "\(outcome)")
    }

    @Test(
        "works in zsh and in fish, where they are there",
        arguments: [
            (
                "zsh",
                """
                compdef() { print $*; }; _describe() { print $found; }
                eval "$(eaves completion zsh)"; words=(eaves launch us) CURRENT=3; _eaves_complete
                """, "_eaves_complete eaves\nusers:Print all users\n"
            ),
            (
                "fish", "eaves completion fish | source; complete -C 'eaves launch us'",
                "users\tPrint all users\n"
            ),
        ])
    func others(shell: String, line: String, expected: String) throws {
        let workspace = try Workspace()
        let isThere = try Eaves.shell("command -v \(shell)", in: workspace.url).code == 0
        guard isThere else { return }
        let outcome = try Eaves.run(
            URL(fileURLWithPath: "/usr/bin/env"), [shell, "-c", line], in: workspace.url,
            environment: ["PATH": "\(Repository.programs):/usr/bin:/bin"])
        #expect(outcome.output == expected, "\(outcome)")
    }
}
