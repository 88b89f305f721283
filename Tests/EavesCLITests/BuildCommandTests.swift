// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesManifest
import Foundation
import Testing

@testable import EavesCLI
@testable import EavesLoader

@Suite("eaves build and what launch builds")
struct BuildCommandTests {
    @Test(
        "takes one output for one module",
        arguments: [["-o", "x.so"], ["-o", "x.so", "a", "b"], ["a", "b", "--output", "x.so"]])
    func output(words: [String]) throws {
        let workspace = try Workspace()
        let outcome = TestCommand.run(
            ["--manifest", workspace("manifest.json"), "build"] + words)
        #expect(outcome.code == 64)
        #expect(outcome.errors.contains("option '--output' expects exactly one module"))
    }

    @Test("says that there is nothing to build, and what it cannot find")
    func nothing() throws {
        let workspace = try Workspace()
        try workspace.addFile("Plugins/home.so", "home")
        let all = workspace.eaves("build")
        #expect(all.errors == "there is nothing to build\n")
        #expect(all.code == 0)
        let unknown = workspace.eaves("build", "hom")
        #expect(unknown.code == 66)
        #expect(unknown.errors.contains("there is no module 'hom', did you mean 'home'?"))
        let bare = workspace.eaves("build", "home")
        #expect(bare.code == 66)
        #expect(
            bare.errors.contains(
                "the module 'home' has no sources here, only its file Plugins/home.so"))
        // A word with a slash is a folder.
        let folder = workspace.eaves("build", workspace("Plugins/home"))
        #expect(folder.code == 66)
        #expect(!folder.errors.contains("there is no module"), "\(folder)")
    }

    @Test("builds into the module's file, in the configuration that is asked for")
    func request() {
        var entry = CatalogEntry(id: "home", path: "Plugins/home.so", file: "/a/Plugins/home.so")
        #expect(BuildRequest(entry, .release) == nil)
        entry.source = "/a/Plugins/Home"
        let request = BuildRequest(entry, .release)
        #expect(request?.id == "home")
        #expect(request?.folder == "/a/Plugins/Home")
        #expect(request?.output == "/a/Plugins/home.so")
        #expect(request?.configuration == .release)
        #expect(BuildRequest(entry, nil)?.configuration == nil)
    }

    private func command(_ workspace: Workspace, _ words: String...) throws -> BuildCommand {
        var options = try TestCommand.parse(words, BuildCommand.options)
        options.values["manifest"] = [workspace("manifest.json")]
        return BuildCommand(options)
    }

    @Test("builds debug or release, to the module's file or to another")
    func options() throws {
        let workspace = try Workspace()
        try workspace.addSources("Home", "home")
        try workspace.addSources("Users", "users")
        let all = try command(workspace).requests()
        #expect(all.map(\.id) == ["home", "users"])
        #expect(all.map(\.configuration) == [.debug, .debug])
        #expect(all.map(\.output) == [workspace("Plugins/home.so"), workspace("Plugins/users.so")])
        let some = try command(workspace, "-r", "users", workspace("Plugins/Home")).requests()
        #expect(some.map(\.id) == ["users", "home"])
        #expect(some.map(\.configuration) == [.release, .release])
        let named = try command(workspace, "users", "-o", workspace("x.so")).requests()
        #expect(named.map(\.output) == [workspace("x.so")])
        let twice = try command(workspace, "users", workspace("Plugins/Users"), "users").requests()
        #expect(twice.map(\.id) == ["users"])
        // Also for a folder, the manifest that is named is the one whose store is used.
        let folder = try command(workspace, workspace("Plugins/Home"))
        #expect(try folder.store() == workspace(".eaves"))
    }

    /// A launch's modules, one of them with sources.
    private func source(
        _ workspace: Workspace
    ) throws -> (FolderSource, CatalogEntry, TestConsole) {
        try workspace.addSources("Home", "home")
        let console = TestConsole()
        let manifest = try Manifest.load(workspace("manifest.json"))
        let source = FolderSource(manifest: manifest, terminal: Terminal(console: console))
        let catalog = Catalog(manifest: manifest, profile: .current)
        return (source, try catalog.module("home"), console)
    }

    @Test("leaves a file alone that was not built here, and warns once")
    func foreign() throws {
        let workspace = try Workspace()
        let file = try workspace.addFile("Plugins/home.so", "home")
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        let (source, entry, console) = try source(workspace)
        #expect(entry.source != nil)
        #expect(try source.freshen([entry]) == false)
        #expect(try source.freshen([entry]) == false)
        #expect(console.errors.split(separator: "\n").count == 2)
        #expect(console.errors.contains("it was not built here from "))
        #expect(console.errors.contains("fix: if it should be, run 'eaves build home'"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    }

    @Test("does not look at modules that are switched off or have no sources")
    func others() throws {
        let workspace = try Workspace()
        let (source, entry, console) = try source(workspace)
        var disabled = entry
        disabled.isEnabled = false
        var bare = entry
        bare.source = nil
        #expect(try source.freshen([disabled, bare]) == false)
        #expect(try source.freshen([]) == false)
        #expect(console.errors == "")
    }

    @Test("builds no sources that others can write")
    func untrusted() throws {
        let workspace = try Workspace()
        let (source, entry, _) = try source(workspace)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777], ofItemAtPath: workspace("Plugins/Home"))
        let error = #expect(throws: CommandError.self) { try source.freshen([entry]) }
        guard case .untrustedSources(let diagnostics) = error else {
            Issue.record("expected untrusted sources, found \(String(describing: error))")
            return
        }
        #expect(diagnostics.map(\.code) == [.untrusted])
    }

    @Test("hands on why a module was not built")
    func failure() throws {
        let workspace = try Workspace()
        let (source, entry, _) = try source(workspace)
        // There is only a module.json.
        let error = #expect(throws: CommandError.self) { try source.freshen([entry]) }
        guard case .notBuilt(let errors) = error else {
            Issue.record("expected build errors, found \(String(describing: error))")
            return
        }
        #expect(errors.map(\.subject) == ["home"])
    }
}

@Suite("what launch prints while it loads")
struct LoadProgressTests {
    private let entry = CatalogEntry(id: "home", path: "Plugins/home.so", file: "/a/home.so")

    private func printed(isVerbose: Bool, _ events: [HostEvent]) -> String {
        let console = TestConsole()
        let progress = LoadProgress(terminal: Terminal(console: console), isVerbose: isVerbose)
        events.forEach(progress.show)
        return console.errors
    }

    @Test("names each module with -v, in order, and nothing without")
    func loaded() {
        let events: [HostEvent] = [
            .loading(entry, file: "/x"), .loaded(entry, .microseconds(1500)),
            .loaded(entry, .milliseconds(2)),
        ]
        #expect(printed(isVerbose: false, events) == "")
        #expect(
            printed(isVerbose: true, events) == """
                loaded 1: home  in 1.50 ms (Plugins/home.so)
                loaded 2: home  in 2.00 ms (Plugins/home.so)

                """)
    }

    @Test("shows warnings and errors that modules log; with -v, all that they log")
    func logged() {
        let levels: [LogMessage.Level] = [.debug, .info, .warning, .error]
        let events = levels.map { HostEvent.logged(entry, LogMessage(level: $0, text: "hm")) }
        #expect(printed(isVerbose: false, events) == "home: warning: hm\nhome: error: hm\n")
        #expect(printed(isVerbose: true, events).split(separator: "\n").count == 4)
    }
}
