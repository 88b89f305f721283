// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesCatalog
@testable import EavesCompiler
import EavesDiagnostics
import EavesHost
import EavesInterface
import EavesManifest
import EavesModules
import EavesSources
import Foundation
import Testing

@testable import EavesCLI
@testable import EavesOutput

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
        #expect(outcome.errors.contains("'eaves build' expects exactly one module with '--output'"))
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
                "home: it has no sources here, only its file Plugins/home.so"))
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

    private func command(_ workspace: Workspace, _ words: String...) throws -> SubcommandCall {
        let build = Subcommand.build
        var options = try #require(
            try ParsedOptions(
                words, build.options.shown(inShell: false), build.parser(inShell: false)))
        options.values["manifest"] = [workspace("manifest.json")]
        return SubcommandCall(options: options, terminal: Terminal(console: TestConsole()))
    }

    @Test("builds debug or release, to the module's file or to another")
    func options() throws {
        let workspace = try Workspace()
        try workspace.addSources("Home", "home")
        try workspace.addSources("Users", "users")
        let all = try command(workspace).buildRequests()
        #expect(all.map(\.id) == ["home", "users"])
        #expect(all.map(\.configuration) == [.debug, .debug])
        #expect(all.map(\.output) == [workspace("Plugins/home.so"), workspace("Plugins/users.so")])
        let some = try command(workspace, "-r", "users", workspace("Plugins/Home")).buildRequests()
        #expect(some.map(\.id) == ["users", "home"])
        #expect(some.map(\.configuration) == [.release, .release])
        let named = try command(workspace, "users", "-o", workspace("x.so")).buildRequests()
        #expect(named.map(\.output) == [workspace("x.so")])
        let twice = try command(workspace, "users", workspace("Plugins/Users"), "users")
            .buildRequests()
        #expect(twice.map(\.id) == ["users"])
        let bare = try command(workspace, "users", "-o", workspace("Plugins")).buildRequests()
        #expect(bare.map(\.output) == [workspace("Plugins/users.so")])
        #expect(named.map(\.isOutputNamed) == [true] && all.allSatisfy { !$0.isOutputNamed })
        let forced = try command(workspace, "--force", "users", workspace("Plugins/Home"))
        #expect(
            try forced.buildRequests().allSatisfy(\.isForced) && !all.contains(where: \.isForced))
    }

    @Test("means the same with -o for an id as for its folder")
    func outputOfEither() throws {
        let workspace = try Workspace()
        try workspace.addSources("Home", "home")
        for output in [workspace.path, workspace("new.so"), workspace("Plugins/")] {
            let byID = try command(workspace, "home", "-o", output).buildRequests()
            let byFolder = try command(workspace, workspace("Plugins/Home"), "-o", output)
            #expect(try byID == byFolder.buildRequests())
        }
        for word in ["home", workspace("Plugins/Home")] {
            let outcome = workspace.eaves("build", word, "-o", workspace("none/"))
            #expect(outcome.code == 73, "\(outcome)")
            #expect(outcome.errors.contains("none/: there is no such folder"))
        }
    }

    @Test("reports a module.json that is wrong, whether or not the module was built before")
    func brokenDeclaration() throws {
        let workspace = try Workspace()
        try workspace.addFile("Plugins/home.so", "home")
        for folder in ["Home", "Users"] {
            try workspace.write(
                "Plugins/\(folder)/module.json",
                #"{"id":"\#(folder.lowercased())","version":"1.0.0","layr":"feature"}"#)
        }
        try workspace.write("Plugins/Other/module.json", "{")
        for words in [[], ["home"], ["users"], ["Other"]] {
            let outcome = TestCommand.run(
                ["--manifest", workspace("manifest.json"), "build"] + words)
            #expect(outcome.code == 65, "\(outcome)")
            let isSyntax = words == ["Other"]
            #expect(outcome.errors.contains("did you mean 'layer'?") != isSyntax, "\(outcome)")
        }
        let all = workspace.eaves("build")
        for folder in ["Home", "Users", "Other"] {
            #expect(all.errors.contains("Plugins/\(folder)/module.json:"), "\(all)")
        }
    }

    @Test("of two folders with one id, the one whose module is used makes the file")
    func twoFolders() throws {
        let workspace = try Workspace()
        try workspace.addSources("A", "home")
        try workspace.addSources("B", "home")
        // The file exists: the list names the second folder by its module.json, which sorts first.
        try workspace.addFile("Plugins/home.so", "home")
        let requests = try command(workspace).buildRequests()
        #expect(requests.map(\.folder) == [workspace("Plugins/A"), workspace("Plugins/B")])
        let outcome = workspace.eaves("build")
        #expect(outcome.code == 65)
        #expect(outcome.errors.contains("is already built from "), "\(outcome)")
    }

    /// A launch's modules, one of them with sources.
    private func source(
        _ workspace: Workspace
    ) throws -> (FolderSource, CatalogEntry, TestConsole) {
        try workspace.addSources("Home", "home")
        let console = TestConsole()
        let manifest = try Manifest.load(workspace("manifest.json"))
        let progress = LoadProgress(terminal: Terminal(console: console), isVerbose: false)
        let source = FolderSource(manifest: manifest, usesColor: false, tell: progress.show)
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
        let error = #expect(throws: BuildErrors.self) { try source.freshen([entry]) }
        #expect(error?.diagnostics.map(\.code) == [.untrusted])
    }

    @Test("hands on why a module was not built")
    func failure() throws {
        let workspace = try Workspace()
        let (source, entry, _) = try source(workspace)
        // There is only a module.json.
        let error = #expect(throws: BuildErrors.self) { try source.freshen([entry]) }
        #expect(error?.errors.map(\.subject) == ["home"])
    }
}

@Suite("what launch prints while it loads")
struct LoadProgressTests {
    private let module = CatalogEntry(
        id: "home", path: "Plugins/home.so", file: "/a/home.so")

    private func printed(isVerbose: Bool, _ events: [HostEvent]) -> String {
        let console = TestConsole()
        let progress = LoadProgress(terminal: Terminal(console: console), isVerbose: isVerbose)
        events.forEach(progress.show)
        return console.errors
    }

    @Test("names each module with -v, in order, and nothing without")
    func loaded() {
        let events: [HostEvent] = [
            .loading(module), .loaded(module, .microseconds(1500)),
            .loaded(module, .milliseconds(2)),
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
        let events = LogLevel.allCases.map {
            HostEvent.logged(HostEvent.LogEntry(module: "home", level: $0, text: "hm"))
        }
        #expect(printed(isVerbose: false, events) == "home: warning: hm\nhome: error: hm\n")
        #expect(printed(isVerbose: true, events).split(separator: "\n").count == 4)
        let own = HostEvent.logged(HostEvent.LogEntry(module: nil, level: .error, text: "hm"))
        #expect(printed(isVerbose: false, [own]) == "eaves: error: hm\n")
    }
}
