// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesBuildTestSupport
@testable import EavesCompiler
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

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
