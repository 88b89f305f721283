// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesJSON
import EavesSystem
import EavesTrust

/// A file next to a module's sources, which tells the language server of an editor where the things are that the sources
/// import and include: for a package, `sourcekit-lsp` reads it, and for sources in C, `clangd`. Other modules are in the
/// `Package.swift` of the project.
struct EditorFile {
    private let path: String
    private let text: String

    /// Says that the file may be replaced.
    private static let mark = "made by eaves build"

    /// - Parameter arguments: The compiler's, besides those of SwiftPM.
    init(ofPackage folder: String, swift arguments: [String]) {
        path = Path.join(folder, ".sourcekit-lsp/config.json")
        let content: JSON = [
            "$comment": .string(Self.mark),
            "swiftPM": ["swiftCompilerFlags": .texts(arguments)],
        ]
        text = content.text(pretty: true) + "\n"
    }

    init(ofSourcesInC folder: String, clang arguments: [String]) {
        path = Path.join(folder, ".clangd")
        let list = arguments.map { JSON.string($0).text(pretty: false) }.joined(separator: ", ")
        text = "# \(Self.mark)\nCompileFlags:\n  Add: [\(list)]\n"
    }

    /// Writes the file, unless the author has one of his own. The module is made without it, too.
    func write(_ trust: TrustCheck) {
        let present = try? Files.read(path)
        if let present {
            let known = String(decoding: present, as: UTF8.self)
            guard known.includes(Self.mark), known != text else { return }
        }
        guard (try? trust.makeFolder(Path.parent(of: path), mode: 0o755)) != nil else { return }
        try? Output(path, trust).replace(with: text.utf8)
    }
}
