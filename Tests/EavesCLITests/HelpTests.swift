// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
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
