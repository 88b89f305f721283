// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesBuild
@testable import EavesCompiler

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

/// Which files of a folder are compiled.
@Suite struct SourceFilesTests {
    /// The sources of a module that are compiled, besides those that `add` writes.
    private func compiled(
        _ prepare: (TemporaryFolder, _ folder: String) throws -> Void
    ) throws -> [String] {
        let (plugins, compiler, request) = try PluginFixture.hello()
        try prepare(plugins.scratch, "Plugins/Hello")
        let error = plugins.builder.build([request])[0].error
        #expect(error == nil)
        return try compiler.sources.filter { !["Hello.swift", "Entry.swift"].contains($0) }
    }

    @Test("leaves out tests, nested packages and nested modules")
    func others() throws {
        let sources = try compiled { scratch, folder in
            try scratch.write("import XCTest", to: "\(folder)/Tests/HelloTests/SomeTests.swift")
            try scratch.write("import PackageDescription", to: "\(folder)/Nested/Package.swift")
            try scratch.write("", to: "\(folder)/Nested/Sources/Lib.swift")
            try scratch.write("{}", to: "\(folder)/Other/module.json")
            try scratch.write("", to: "\(folder)/Other/Other.swift")
            try scratch.write("", to: "\(folder)/Deep/Tests/Kept.swift")
            try scratch.write("", to: "\(folder)/Testing/Kept2.swift")
        }
        #expect(sources == ["Kept.swift", "Kept2.swift"])
    }

    @Test("a folder whose name ends in '.swift' is a folder, and a pipe is no source")
    func notFiles() throws {
        let sources = try compiled { scratch, folder in
            try scratch.write("", to: "\(folder)/Foo.swift/Inner.swift")
            #expect(mkfifo(scratch.file("\(folder)/Pipe.swift"), 0o600) == 0)
            try scratch.write("", to: "Shared/Linked.swift")
            #expect(symlink(scratch.file("Shared"), scratch.file("\(folder)/Link.swift")) == 0)
        }
        #expect(sources == ["Inner.swift", "Linked.swift"])
    }

    @Test("a link that leads nowhere is named")
    func lostLink() throws {
        let (plugins, _, request) = try PluginFixture.hello()
        let path = plugins.scratch.file("Plugins/Hello/Lost.swift")
        #expect(symlink("/no/such/file", path) == 0)
        let error = plugins.builder.build([request])[0].error
        #expect(error?.cause == .unreadable(SystemError(.inspect, path, .noSuchFile)))
    }
}

@Suite struct ModuleNameTests {
    @Test(
        "the Swift module is named for the folder, as an identifier",
        arguments: [
            ("Weather", "Weather"), ("my-weather", "my_weather"), ("2Fast", "_2Fast"),
            ("a b.c", "a_b_c"), ("Wärme", "W_rme"), ("天気", "weather_1"), ("import", "import"),
        ])
    func names(folder: String, expected: String) throws {
        #expect((ModuleName.identifier(folder) ?? ModuleName.identifier("weather-1")) == expected)
    }

    @Test(
        "a keyword is a name like any other", arguments: ["import", "self"])
    func keywords(folder: String) throws {
        let plugins = try PluginFixture()
        let request = try plugins.add(folder, id: "word")
        try plugins.scratch.write("import Foundation\n", to: "Plugins/\(folder)/main-file.swift")
        #expect(plugins.builder.build([request])[0].error == nil)
    }
}
