// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesInterface
import EavesProcess
import EavesTestSupport
import Foundation
import Testing

@testable import EavesCLI

@Suite("Help")
struct HelpTests {
    @Test("of one command has its summary, its call, its discussion and its options")
    func command() {
        #expect(
            Help.text(of: .build) == """
                compile modules from their folders

                usage: eaves build [OPTION…] [ID-OR-FOLDER…]

                Compiles what changed, several modules at once. Without operands, it builds each folder with
                a module.json in the manifest's directories, and the folders elsewhere that it built a file
                in them from. A folder may lie anywhere; its .so is written next to it. The interface modules
                that a module names are built before it. With --watch, it goes on until Ctrl-C, and builds
                whenever a source is saved.

                options:
                      --manifest PATH  the manifest or its folder (default: the nearest one upwards)
                      --store DIR      where state is kept (default: next to the manifest)
                  -r, --release        optimise
                  -f, --force          compile also what is up to date
                  -o, --output PATH    where to write the .so of one module
                  -w, --watch          build again whenever a source is saved
                  -v, --verbose        say what is being done
                  -h, --help           show this help

                """)
        let rollback = Help.text(of: .rollback)
        #expect(rollback.contains("usage: eaves rollback [OPTION…] [STEPS | MODULE]\n"))
    }

    @Test("of all commands has a line for each, in columns, and none for the hidden ones")
    func overview() {
        let lines = Help.overview.split(separator: "\n").map(String.init)
        for command in Subcommand.all {
            let line = lines.first { $0.hasPrefix("  \(command.name) ") } ?? ""
            #expect(line.hasSuffix("  \(command.summary)"), "\(command.name)")
            #expect(line.contains(" \(command.operands) "), "\(command.name)")
            // The longest is 'interface check|bump|actors [ID…]'.
            #expect(line.count == 37 + command.summary.count, "\(line)")
        }
        #expect(!Help.overview.contains("verify-probe"))
        #expect(lines.contains("      --version        print the version"))
    }

    @Test("fits a terminal of 100 columns")
    func width() {
        let texts =
            [Help.overview, Help.shell] + Subcommand.all.map { Help.text(of: $0) }
            + Subcommand.ofShell.map { Help.text(of: $0, inShell: true) }
        for line in texts.flatMap({ $0.split(separator: "\n") }) { #expect(line.count <= 100) }
    }

    @Test("names each option once, and no letter twice")
    func options() {
        for command in Subcommand.all + Subcommand.hidden + Subcommand.ofShell {
            let options = command.options + [.help]
            #expect(Set(options.map(\.long)).count == options.count, "\(command.name)")
            let letters = options.compactMap(\.declaration.short)
            #expect(Set(letters).count == letters.count, "\(command.name)")
        }
    }
}

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
