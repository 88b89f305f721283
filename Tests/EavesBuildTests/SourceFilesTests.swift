// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesBuildTestSupport
import EavesSystem
import Glibc
import Testing

/// Which files of a folder are compiled.
@Suite struct SourceFilesTests {
    /// The sources of a module that are compiled, besides those that `add` writes.
    private func compiled(
        _ prepare: (Scratch, _ folder: String) throws -> Void
    ) throws -> [String] {
        let compiler = try CompilerFixture()
        let plugins = try PluginFixture(environment: compiler.environment)
        let request = try plugins.add("Hello")
        try prepare(plugins.scratch, "Plugins/Hello")
        let error = plugins.builder.build([request])[0].error
        #expect(error == nil)
        return try compiler.sources.filter { !["Hello.swift", "Entry.swift"].contains($0) }
    }

    @Test("leaves out tests, nested packages and nested modules")
    func others() throws {
        let sources = try compiled { scratch, folder in
            try scratch.write("\(folder)/Tests/HelloTests/SomeTests.swift", "import XCTest")
            try scratch.write("\(folder)/Nested/Package.swift", "import PackageDescription")
            try scratch.write("\(folder)/Nested/Sources/Lib.swift", "")
            try scratch.write("\(folder)/Other/module.json", "{}")
            try scratch.write("\(folder)/Other/Other.swift", "")
            try scratch.write("\(folder)/Deep/Tests/Kept.swift", "")
            try scratch.write("\(folder)/Testing/Kept2.swift", "")
        }
        #expect(sources == ["Kept.swift", "Kept2.swift"])
    }

    @Test("a folder whose name ends in '.swift' is a folder, and a pipe is no source")
    func notFiles() throws {
        let sources = try compiled { scratch, folder in
            try scratch.write("\(folder)/Foo.swift/Inner.swift", "")
            #expect(mkfifo(scratch.path("\(folder)/Pipe.swift"), 0o600) == 0)
            try scratch.write("Shared/Linked.swift", "")
            #expect(symlink(scratch.path("Shared"), scratch.path("\(folder)/Link.swift")) == 0)
        }
        #expect(sources == ["Inner.swift", "Linked.swift"])
    }

    @Test("a link that leads nowhere is named")
    func lostLink() throws {
        let plugins = try PluginFixture(environment: try CompilerFixture().environment)
        let request = try plugins.add("Hello")
        let path = plugins.scratch.path("Plugins/Hello/Lost.swift")
        #expect(symlink("/no/such/file", path) == 0)
        let error = plugins.builder.build([request])[0].error
        #expect(error?.cause == .unreadable(SystemError(.inspect, path, .noSuchFile)))
    }
}
