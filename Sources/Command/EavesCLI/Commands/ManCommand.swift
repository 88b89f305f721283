// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem
import EavesTrust

/// `eaves man FOLDER`
struct ManCommand: SynchronousSubcommand {
    static let name = "man"
    static let summary = "write pages for 'man' into a folder"
    static let operands = "FOLDER"
    static let operandCount = 1...1
    static let completed: [CompletedWord] = [.file]
    static let options: [OptionSpec] = []
    static let discussion = """
        Writes a page for the command, and one for each of its commands, with what '--help' says, as in
        'eaves man ~/.local/share/man/man1'. Then 'man eaves' and 'man eaves-list' show them. Pages that
        are there already are replaced.
        """

    private let folder: String

    init(_ options: ParsedOptions) {
        folder = options.operands[0]
    }

    func run(_ terminal: Terminal) throws -> Int32 {
        let folder = Path.absolute(self.folder)
        try Files.createFolder(folder)
        let pages = ManualPage.all
        for page in pages {
            try Output(Path.join(folder, page.fileName), .own).replace(with: Array(page.text.utf8))
        }
        terminal.say("wrote \(pages.count) pages into \(self.folder)")
        return 0
    }
}
