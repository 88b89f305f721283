// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
@testable import EavesCompiler
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import EavesTrust
import Glibc
import Testing

@testable import EavesBuild

@Suite("Sources that others can change", .onOwnThreads)
struct SourceTrustTests {
    private let compiler: CompilerFixture
    private let plugins: PluginFixture
    private let request: BuildRequest

    init() throws {
        (plugins, compiler, request) = try PluginFixture.hello()
    }

    private func path(_ name: String) -> String { plugins.scratch.file(name) }

    /// The place that keeps the module from being built; `nil` if it was built.
    private func fault() -> String? {
        let runs = compiler.runs
        var request = request
        request.isForced = true
        switch plugins.builder.build([request])[0].error?.cause {
        case nil: return nil
        case .untrusted(.writable(let place, _, _)), .untrusted(.owner(let place, _)):
            #expect(compiler.runs == runs, "the compiler has run")
            #expect(request.trustError != nil)
            return place.path
        case let cause: return "\(String(describing: cause))"
        }
    }

    @Test("are not compiled: each file, each folder, and what is behind links")
    func places() throws {
        let scratch = plugins.scratch
        try scratch.write("", to: "Plugins/Hello/deep/er/More.swift")
        try scratch.write("", to: "Shared/in/Linked.swift")
        try scratch.write("", to: "Single/One.swift")
        #expect(symlink(path("Shared"), path("Plugins/Hello/Link")) == 0)
        #expect(symlink(path("Single/One.swift"), path("Plugins/Hello/One.swift")) == 0)
        #expect(fault() == nil)
        let names = [
            "Plugins", "Plugins/Hello", "Plugins/Hello/module.json", "Plugins/Hello/Hello.swift",
            "Plugins/Hello/deep", "Plugins/Hello/deep/er", "Plugins/Hello/deep/er/More.swift",
            "Shared", "Shared/in", "Shared/in/Linked.swift", "Single", "Single/One.swift",
        ]
        for name in names {
            let mode = try FileStatus(path: path(name)).mode
            try Files.setMode(0o777, of: path(name))
            #expect(fault() == path(name))
            try Files.setMode(mode, of: path(name))
            guard geteuid() == 0 else { continue }
            #expect(chown(path(name), OtherUser.id, OtherUser.id) == 0)
            #expect(fault() == path(name))
            #expect(chown(path(name), 0, 0) == 0)
        }
        #expect(fault() == nil)
        if geteuid() == 0 {
            #expect(lchown(path("Plugins/Hello/Link"), OtherUser.id, OtherUser.id) == 0)
            #expect(fault() == path("Plugins/Hello/Link"))
        }
    }

    @Test("are those that are compiled: other files do not matter")
    func others() throws {
        for name in ["README.md", ".hidden.swift", "Tests/T.swift", "Nested/Package.swift"] {
            try plugins.scratch.write("", to: "Plugins/Hello/\(name)")
            try Files.setMode(0o666, of: path("Plugins/Hello/\(name)"))
        }
        #expect(fault() == nil)
    }

    @Test("are not read for the module's declaration")
    func declaration() throws {
        try Files.setMode(0o666, of: path("Plugins/Hello/module.json"))
        let error = #expect(throws: BuildError.self) {
            _ = try BuildRequest(folder: path("Plugins/Hello"))
        }
        guard case .untrusted(.writable) = error?.cause else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.diagnostics.map(\.code) == [.untrusted])
    }

    @Test("are noticed also while the compiler runs")
    func meanwhile() throws {
        let compiler = try CompilerFixture(
            script: "chmod 666 \(path("Plugins/Hello/Hello.swift")); give")
        let builder = Builder(
            forHost: plugins.host.executable, environment: compiler.environment)
        guard case .untrusted(.writable) = builder.build([request])[0].error?.cause else {
            Issue.record("a source that others could write meanwhile was built")
            return
        }
        #expect((try? FileStatus(path: request.output)) == nil)
    }

    @Test("are what the compiler finds by its name in a folder that others can write")
    func output() throws {
        var request = request
        try Files.createFolder(path("Open"))
        try request.write(to: path("Open/"))
        #expect(plugins.builder.build([request])[0].error == nil)
        try Files.setMode(0o777, of: path("Open"))
        request.isForced = true
        guard case .untrusted(.writable) = plugins.builder.build([request])[0].error?.cause else {
            Issue.record("the compiler wrote to a folder of everybody")
            return
        }
        // In a folder like /tmp, nobody else can rename what is ours.
        try Files.setMode(0o1777, of: path("Open"))
        #expect(plugins.builder.build([request])[0].error == nil)
    }

    @Test("are joined by records that lead elsewhere: a link is never written through")
    func records() throws {
        try plugins.scratch.write("precious", to: "mine")
        try Files.createFolder(path("Plugins/.eaves-records"))
        try #require(symlink(path("mine"), path("Plugins/.eaves-records/hello.so.json")) == 0)
        #expect(fault() == nil)
        let record = try FileStatus(link: path("Plugins/.eaves-records/hello.so.json"))
        #expect(record.kind == .file)
        #expect(try plugins.scratch.read("mine") == "precious")

        let runs = compiler.runs
        try Files.rename(path("Plugins/.eaves-records"), to: path("records"))
        try #require(symlink(path("records"), path("Plugins/.eaves-records")) == 0)
        try plugins.scratch.write("// Changed.", to: "Plugins/Hello/Hello.swift")
        let error = plugins.builder.build([request])[0].error
        guard case .untrusted(.link(let place)) = error?.cause else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(place.path == path("Plugins/.eaves-records") && compiler.runs == runs)
        #expect(error?.diagnostics.map(\.code) == [.untrusted])
    }

    @Test(
        "are built while another user locks all that others can open",
        .enabled(if: geteuid() == 0, "needs root"))
    func locks() throws {
        try Files.setMode(0o755, of: plugins.scratch.path)
        #expect(plugins.builder.build([request])[0].error == nil)
        var request = request
        request.isForced = true
        let (locked, results) = try OtherUser.locking(below: plugins.scratch.path) {
            plugins.builder.build([request])
        }
        #expect(locked > 5)
        #expect(results[0].error == nil && results[0].warnings == [])
        #expect(plugins.builder.freshness(of: self.request) == .fresh)
    }

    /// The other user may write one folder on the way, and exchanges a link to root's files with files of
    /// their own all the time.
    @Test("never get in by a race", .enabled(if: geteuid() == 0, "needs root"))
    func race() throws {
        try plugins.scratch.write("", to: "Good/Kept.swift")
        let shared = path("Shared")
        try Files.createFolder(shared)
        try Files.setMode(0o1777, of: shared)
        try Files.setMode(0o755, of: plugins.scratch.path)
        let good = path("Good")
        try OtherUser.run {
            mkdir(shared + "/evil", 0o755)
            close(open(shared + "/evil/Evil.swift", O_CREAT | O_WRONLY, 0o644))
            symlink(good, shared + "/source")
        }
        #expect(symlink(shared + "/source", path("Plugins/Hello/Link")) == 0)
        try OtherUser.attacking {
            OtherUser.exchange(shared + "/source", shared + "/evil")
        } while: {
            for _ in 0..<Soak.rounds(1_000) {
                #expect(throws: PlaceError.self) {
                    try SourceFiles(request.folder, checkedBy: .own)
                }
            }
        }
    }
}
