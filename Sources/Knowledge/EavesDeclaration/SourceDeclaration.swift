// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
package import EavesSystem

/// The content of a `module.json`: the declaration, and the keys that only `eaves build` uses.
///
/// These keys are kept apart because the note in the binary does not have them: a module is the same
/// whether its entry point is written by hand or added by the build.
package struct SourceDeclaration: Hashable, Sendable {
    static let keys = ["entry", "module", "link", "pkgConfig", "include"]
    /// No `module.json` needs more. In bytes.
    private static let maximumSize = 1 << 20

    package var declaration: ModuleDeclaration
    /// The type that conforms to `Module`; `nil` if it is the one that is named like the folder.
    package var entry: String?
    /// The name of an interface module's Swift module; `nil` if it is named like the folder.
    package var swiftModule: String?
    /// The C libraries that the module is linked to, such as `sqlite3`.
    package var link: [String]
    /// The packages of C libraries that `pkg-config` is asked for, such as `libxml-2.0`.
    package var pkgConfig: [String]
    /// The folders with headers, relative to the module's own.
    package var include: [String]

    /// Reads a `module.json`.
    ///
    /// - Parameter shownPath: The file's name in messages.
    package static func load(
        _ path: String, shownAs shownPath: String? = nil
    ) throws(DeclarationError) -> SourceDeclaration {
        let shownPath = shownPath ?? path
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(path, limit: maximumSize)
        } catch {
            let problem = DeclarationProblem(.unreadable(error))
            throw DeclarationError(path: shownPath, problems: [problem])
        }
        return try SourceDeclaration(bytes, path: shownPath)
    }

    /// Reads the text of a `module.json`.
    package init(_ bytes: [UInt8], path: String) throws(DeclarationError) {
        let node: JSONNode
        do throws(JSONSyntaxError) {
            node = try JSONNode.parse(bytes)
        } catch {
            let problem = DeclarationProblem(.syntax(error), position: error.position)
            throw DeclarationError(path: path, problems: [problem])
        }
        var parser = DeclarationParser(lines: TextLines(bytes), readsNote: false)
        let declaration = ModuleDeclaration(node, key: "", parser: &parser)
        let entry = parser.optionalText("entry", of: node, "", .typeName)
        let swiftModule = parser.optionalText("module", of: node, "", .swiftModule)
        if let value = node["module"], let declaration, declaration.layer != .interface {
            parser.report(.onlyOfInterface, "module", at: value)
        }
        let link = parser.names("link", of: node, "", .library)
        let pkgConfig = parser.names("pkgConfig", of: node, "", .library)
        let include = parser.names("include", of: node, "", .folder)
        guard let declaration, parser.problems.isEmpty else {
            let id = node["id"]?.string.flatMap { NameRule.moduleID.allows($0) ? $0 : nil }
            throw DeclarationError(path: path, id: id, problems: parser.problemsInOrder)
        }
        self.declaration = declaration
        self.entry = entry
        self.swiftModule = swiftModule
        self.link = link
        self.pkgConfig = pkgConfig
        self.include = include
    }
}

/// A folder with a `module.json`: the sources of one module.
package struct SourceFolder: Sendable {
    /// An absolute path.
    package let path: String
    /// The `module.json` before it was read; `nil` if nothing could be learnt of it.
    package let status: FileStatus?
    package let declaration: Result<ModuleDeclaration, DeclarationError>

    /// The id that the folder gives its module; `nil` if the declaration has none.
    package var id: String? {
        switch declaration {
        case .success(let declaration): declaration.id
        case .failure(let error): error.id
        }
    }

    /// - Parameter base: The folder that messages name the file from.
    /// - Returns: `nil` for a folder without a `module.json`.
    package init?(_ path: String, seenFrom base: String) {
        let file = Path.join(path, ModuleDeclaration.fileName)
        do {
            status = try FileStatus(path: file)
        } catch  where error.errno.meansMissing {
            return nil
        } catch {
            // Reading the file below reports what is wrong.
            status = nil
        }
        self.path = path
        declaration = Result { () throws(DeclarationError) in
            try ModuleDeclaration.load(file, shownAs: Path.relative(file, to: base))
        }
    }
}
