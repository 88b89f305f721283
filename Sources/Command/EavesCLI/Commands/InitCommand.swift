// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesCompiler
import EavesDiagnostics
import EavesHost
import EavesManifest
import EavesOutput
import EavesSources
import EavesSystem
import EavesTemplates

extension Subcommand {
    static let initialize = Subcommand(
        name: "init",
        summary: "begin a project: a manifest, and a folder for modules",
        operands: "[FOLDER]",
        operandCount: 0...1,
        options: [],
        discussion: """
            Writes a manifest.json into the folder, or into the current one, with the folder Plugins for
            modules, a .gitignore, and a Package.swift for editors and for 'swift test'. It overwrites
            nothing: a Package.swift that is there stays as it is. 'eaves new' makes the first module.
            """,
        run: .plain { try $0.initialize() })
}

extension SubcommandCall {
    fileprivate func initialize() throws {
        let folder = Path.absolute(options.operands.first ?? ".")
        let sdk = try? SDK.locate(forHost: Builder.thisProgram)
        let project = ProjectTemplate(folder: folder, eaves: sdk?.package)
        try project.write().forEach { terminal.sayWritten(Path.join(folder, $0)) }
        if project.eaves == nil {
            terminal.say(
                "no Package.swift: the package of Eaves is not where the command comes from")
        }
        let path = Path.relative(folder, to: Path.current).shellPath
        let place = folder == Path.current ? "" : "cd \(path) && "
        terminal.say("make a module with '\(place)eaves new feature hello'")
    }
}

extension Terminal {
    /// Names a file that a command has made. The path is absolute.
    func sayWritten(_ path: String) {
        say("wrote \(Path.relative(path, to: Path.current))")
    }
}
