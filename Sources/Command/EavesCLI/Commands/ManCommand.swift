// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesOutput
import EavesSystem
import EavesTrust

extension Subcommand {
    /// `eaves man FOLDER`
    static let man = Subcommand(
        name: "man",
        summary: "write pages for 'man' into a folder",
        operands: "FOLDER",
        operandCount: 1...1,
        completed: [.file],
        options: [],
        discussion: """
            Writes a page for the command, and one for each of its commands, with what '--help' says, as in
            'eaves man ~/.local/share/man/man1'. Then 'man eaves' and 'man eaves-list' show them. Pages that
            are there already are replaced.
            """,
        run: .synchronous { try $0.man() })
}

extension SubcommandCall {
    fileprivate func man() throws -> Int32 {
        let folder = Path.absolute(options.operands[0])
        try Files.createFolder(folder)
        let pages = ManualPage.all
        for page in pages {
            try Output(Path.join(folder, page.fileName), .own).replace(with: Array(page.text.utf8))
        }
        terminal.say("wrote \(pages.count) pages into \(options.operands[0])")
        return 0
    }
}
