// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@Suite("Files whose names are not UTF-8")
struct CatalogNameTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Moves a file to a name with a byte that is no text.
    private func spoilName(of file: String) {
        var name = Array(folder.file(file).utf8CString.dropLast())
        name += [CChar(bitPattern: 0xFF), 0]
        #expect(rename(folder.file(file), name) == 0)
    }

    @Test("say so, with and without a cache, and harm no other module")
    func file() throws {
        try folder.add(.sample("login"))
        // The suffix of a module stands behind the byte.
        try folder.add(.sample("users"), as: "Plugins/users")
        var name = Array(folder.file("Plugins/users").utf8CString.dropLast())
        name += [CChar(bitPattern: 0xFF)] + ".so".utf8CString
        #expect(rename(folder.file("Plugins/users"), name) == 0)
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        for _ in 0..<2 {
            let catalog = try folder.catalogLater()
            #expect(catalog.entries.map(\.id) == ["login", "users\u{FFFD}"])
            #expect(catalog.entries.map(\.state) == [.ready, .invalid])
            #expect(
                catalog.entries.diagnostics == [
                    Diagnostic(
                        "users\u{FFFD}: cannot open the file: its name is not UTF-8 "
                            + "(Plugins/users\u{FFFD}.so)",
                        fix: "give it a name in UTF-8", code: .inputOutput)
                ])
        }
    }

    @Test("say so, if they are folders of sources")
    func source() throws {
        try folder.addSource(.sample("users"), in: "Plugins/Users")
        spoilName(of: "Plugins/Users")
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        for _ in 0..<2 {
            let catalog = try folder.catalogLater()
            #expect(catalog.entries.map(\.state) == [.invalid])
            #expect(
                catalog.entries.diagnostics.map(\.message) == [
                    "Plugins/Users\u{FFFD}/module.json: cannot open it: its name is not UTF-8"
                ])
        }
    }
}
