// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesProcess
import EavesSystem
import EavesTestSupport
import Foundation
import Testing

@testable import EavesCLI

@Suite("pages for man")
struct ManualPageTests {
    private static let hasGroff = (try? ChildPool.run(ChildCommand("groff", ["--version"]))) != nil

    @Test("are there for the command and each of its commands, and are written anew")
    func files() throws {
        let folder = try TemporaryFolder()
        try folder.write("old", to: "man1/eaves-list.1")
        let outcome = TestCommand.run(["man", folder.file("man1")])
        #expect(outcome.code == 0, "\(outcome)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("man1"))
        let commands = Subcommand.all.map { "eaves-\($0.name).1" }
        #expect(Set(names) == Set(["eaves.1"] + commands))
        let list = try folder.read("man1/eaves-list.1")
        #expect(list.contains("\n.SH SYNOPSIS\n.B eaves list\n[OPTION…] [PATTERN]\n"))
        #expect(list.contains("\n.TP\n\\fB\\-\\-state\\fR STATE\n"))
        let main = try folder.read("man1/eaves.1")
        #expect(main.contains("\n.TP\n\\fBlaunch\\fR [FEATURE [ARG…]]\nrun a feature\n"))
    }

    @Test("say the reason if they cannot be written")
    func refusal() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        let outcome = TestCommand.run(["man", folder.file("file/man1")])
        #expect(outcome.code != 0)
        #expect(outcome.errors.contains("file"))
    }

    @Test("are taken by groff without a warning", .enabled(if: hasGroff, "needs groff"))
    func language() throws {
        let folder = try TemporaryFolder()
        for page in ManualPage.all {
            let path = try folder.write(page.text, to: page.fileName)
            let report = try ChildPool.run(
                ChildCommand("groff", ["-man", "-k", "-ww", "-Tutf8", "-z", path]))
            #expect(report.ending == .exited(0))
            #expect(String(decoding: report.output, as: UTF8.self) == "", "\(page.name)")
        }
    }
}
