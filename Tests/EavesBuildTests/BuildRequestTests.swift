// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesBuildTestSupport
@testable import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Testing

@Suite struct BuildRequestTests {
    /// A folder, the message about it and the code.
    @Test(
        "says what is wrong with a folder",
        arguments: [
            ("Missing", "Missing: no such folder", FailureCode.notFound),
            ("file", "file: not a folder", .notFound),
            ("Empty", "Empty: the folder has no module.json", .notFound),
            ("Broken", "Broken/module.json:1:9: expected", .badData),
        ])
    func faults(folder: String, message: String, code: FailureCode) throws {
        let scratch = try TemporaryFolder()
        try scratch.write("", to: "file")
        try scratch.write("", to: "Empty/A.swift")
        try scratch.write(#"{ "id": }"#, to: "Broken/module.json")
        let error = try #require(throws: BuildError.self) {
            try BuildRequest(folder: folder, base: scratch.path)
        }
        let diagnostic = try #require(error.diagnostics.first)
        #expect(diagnostic.message.hasPrefix(message))
        #expect(diagnostic.code == code)
    }

    @Test("reports all problems of module.json at once")
    func allProblems() throws {
        let scratch = try TemporaryFolder()
        try scratch.write(#"{ "id": "Bad Id", "layer": "top", "colour": 1 }"#, to: "A/module.json")
        let error = try #require(throws: BuildError.self) {
            try BuildRequest(folder: scratch.file("A"))
        }
        let messages = error.diagnostics.map(\.message).joined(separator: "\n")
        for word in ["id", "version", "layer", "colour"] { #expect(messages.contains(word)) }
    }

    @Test("a folder with a slash at its end, or a path with dots, is the same folder")
    func spelling() throws {
        let scratch = try TemporaryFolder()
        try scratch.write(PluginFixture.declaration("a"), to: "A/module.json")
        for name in ["A", "A/", "./A", "B/../A", scratch.file("A/")] {
            let request = try BuildRequest(folder: name, base: scratch.path)
            #expect(request.folder == scratch.file("A"))
            #expect(request.output == scratch.file("a.so"))
        }
    }
}
