// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Glibc
import Testing

@Suite("documented commands", .onOwnThreads)
struct CommandTests {
    @Test("do what the document shows", arguments: Document.runnable)
    func run(_ document: Document) throws {
        if document.needsSSHKeygen, !Session.hasSSHKeygen {
            try Test.cancel("needs OpenSSH's 'ssh-keygen'")
        }
        let session = try document.session
        for action in document.actions {
            switch action {
            case .write(let path, let text):
                try session.write(path, text)
            case .run(let step):
                if SkippedCommand.reason(for: step.command) != nil { continue }
                let outcome = try session.run(step.command)
                let place = "\(document.path):\(step.line): $ \(step.command)"
                let shown = step.output.joined(separator: "\n")
                let isAsShown = OutputPattern(step.output).matches(outcome.output)
                #expect(isAsShown, "\(place)\nexpected:\n\(shown)\nfound:\n\(outcome.output)")
                #expect(outcome.exitCode == step.exitCode, "\(place)\n\(outcome.output)")
            }
        }
    }

    @Test("are found in all pages that have some")
    func areFound() {
        let pages = Document.runnable.filter { page in
            page.actions.contains { if case .run = $0 { true } else { false } }
        }
        #expect(pages.count == 23, "\(pages.map(\.path))")
    }

    @Test("stand in console blocks, where they are run", arguments: Document.all)
    func inConsoleBlocks(_ document: Document) {
        for fence in document.fences {
            let isShell = ["sh", "bash", "shell", "zsh"].contains(fence.info.first ?? "")
            #expect(!isShell, "\(document.path):\(fence.line)")
            if fence.info == ["console"] {
                #expect(!Step.all(in: fence).isEmpty, "\(document.path):\(fence.line)")
            }
        }
    }
}

/// A command that documents show and these tests cannot run, with the reason.
struct SkippedCommand {
    let name: String
    let reason: String

    static let all = [
        SkippedCommand(name: "git clone", reason: "the tests run inside a clone"),
        SkippedCommand(name: "swift build", reason: "the command is built before its tests are"),
        SkippedCommand(name: "swift test", reason: "it runs these very tests, and would not end"),
        SkippedCommand(name: "Benchmarks/run", reason: "it measures for minutes, never the same"),
        SkippedCommand(name: "Benchmarks/catalog", reason: "it measures for minutes, too"),
        SkippedCommand(name: "Benchmarks/tutorial", reason: "it compiles for minutes"),
        SkippedCommand(name: "export PATH=", reason: "each command has a shell of its own here"),
    ]

    private static let hasSQLite = dlopen("libsqlite3.so.0", RTLD_LAZY) != nil

    static func reason(for command: String) -> String? {
        if command == "eaves launch facts", !hasSQLite { return "this machine has no libsqlite3" }
        return all.first { command.hasPrefix($0.name) }?.reason
    }
}
