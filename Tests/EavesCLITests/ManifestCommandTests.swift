// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest
import EavesTestSupport
import Foundation
import Testing

@testable import EavesCLI
@testable import EavesLife

/// The commands that change the manifest. `swap` and `rollback` are tested with the host.
@Suite("commands that change the manifest")
struct ManifestCommandTests {
    private func manifest(_ workspace: Workspace) throws -> Manifest {
        try Manifest.load(workspace("manifest.json"))
    }

    @Test("enable and disable a module, and say when it is so already")
    func enabling() throws {
        let workspace = try Workspace()
        try workspace.addSources("Home", "home")
        #expect(workspace.eaves("disable", "home").errors == "disabled home\n")
        #expect(try manifest(workspace).entry("home")?.isEnabled == false)
        #expect(workspace.eaves("disable", "home").errors == "home is already disabled\n")
        #expect(workspace.eaves("enable", "home").errors == "enabled home\n")
        #expect(try manifest(workspace).entry("home")?.isEnabled != false)
        #expect(workspace.eaves("enable", "home").errors == "home is already enabled\n")
    }

    @Test("warn that others need what is switched off, unless another module has it, too")
    func needed() throws {
        let workspace = try Workspace()
        try workspace.addFile("Plugins/sunny.so", "sunny", provides: "Weather")
        for (id, provides, requires) in [("lamp", "Light", "Weather"), ("home", "Home", "Light")] {
            let note = Workspace.note(id, provides: provides)
            try workspace.write(
                "Plugins/\(id).so",
                Data(
                    Binaries.module(
                        note: note.replacingOccurrences(
                            of: #""features""#, with: #""requires":["\#(requires)"],"features""#))))
        }
        #expect(workspace.eaves("disable", "home").errors == "disabled home\n")
        #expect(workspace.eaves("enable", "home").code == 0)
        let outcome = workspace.eaves("disable", "sunny")
        #expect(outcome.code == 0)
        #expect(
            outcome.errors == """
                disabled sunny
                warning: no provider for Weather: needed by home, lamp
                fix: 'eaves enable sunny', or bind another: 'eaves swap Weather MODULE'

                """)
        #expect(workspace.eaves("enable", "sunny").code == 0)
        try workspace.addFile("Plugins/rainy.so", "rainy", provides: "Weather")
        #expect(workspace.eaves("disable", "rainy").errors == "disabled rainy\n")
    }

    @Test(
        "ask about a wrong name, and leave the manifest as it was",
        arguments: [
            ["enable", "hom"], ["disable", "hom"], ["remove", "hom"], ["pin", "hom"],
            ["pin", "home", "hom"], ["quarantine", "clear", "hom"],
        ])
    func wrongName(words: [String]) throws {
        let workspace = try Workspace()
        try workspace.addFile("Plugins/home.so", "home")
        let before = try workspace.read("manifest.json")
        let outcome = TestCommand.run(["--manifest", workspace("manifest.json")] + words)
        #expect(outcome.code == 66)
        #expect(outcome.errors.contains("there is no module 'hom', did you mean 'home'?"))
        #expect(try workspace.read("manifest.json") == before)
    }

    @Test("add a file from elsewhere, once, and pin it where that is asked for")
    func adding() throws {
        let workspace = try Workspace()
        let file = try workspace.addFile("vendor/far.so", "far")
        #expect(workspace.eaves("add", file).errors == "added far 1.0.0\n")
        #expect(try manifest(workspace).entry("far")?.library == "vendor/far.so")
        #expect(try manifest(workspace).entry("far")?.sha256 == nil)
        #expect(workspace.eaves("add", file).errors == "far is already known: vendor/far.so\n")
        let pinned = workspace.eaves("add", "--pin", file)
        let digest = try #require(try manifest(workspace).entry("far")?.sha256)
        #expect(pinned.errors == "pinned far to \(digest)\n")
        let other = try workspace.addFile("vendor/other.so", "other")
        let added = workspace.eaves("add", "--pin", other)
        let otherDigest = try #require(try manifest(workspace).entry("other")?.sha256)
        #expect(added.errors == "added other 1.0.0, pinned to \(otherDigest)\n")
        #expect(otherDigest != digest)
    }

    @Test("do not add a file that is found anyway, except a link that leads elsewhere")
    func addingKnown() throws {
        let workspace = try Workspace()
        let file = try workspace.addFile("Plugins/home.so", "home")
        let known = workspace.eaves("add", file)
        #expect(known.errors == "home is already known: Plugins/home.so\n")
        #expect(try manifest(workspace).modules.isEmpty)
        let target = try workspace.addFile("shelf/far.so", "far")
        try FileManager.default.createSymbolicLink(
            atPath: workspace("Plugins/far.so"), withDestinationPath: target)
        #expect(workspace.eaves("add", workspace("Plugins/far.so")).errors == "added far 1.0.0\n")
    }

    @Test("neither add nor pin nor sign what the host would not load, and say why")
    func unusable() throws {
        let workspace = try Workspace()
        let text = try workspace.write("Plugins/text.so", "no module")
        try workspace.addFile("Plugins/home.so", "home")
        let before = try workspace.read("manifest.json")
        let added = workspace.eaves("add", text)
        let pinned = workspace.eaves("pin", "home", "text")
        let key = try workspace.write("key", "")
        let signed = workspace.eaves("sign", "--key", key, text)
        for outcome in [added, pinned, signed] {
            #expect(outcome.code == 65, "\(outcome)")
            #expect(outcome.errors.hasPrefix("error: text: expected a shared object, found"))
        }
        #expect(workspace.eaves("add", workspace("gone.so")).code == 66)
        let open = try workspace.addFile("Plugins/open.so", "open")
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: open)
        #expect(workspace.eaves("add", open).code == 77)
        #expect(workspace.eaves("pin", "home", "open").code == 77)
        #expect(try workspace.read("manifest.json") == before)
        #expect(!FileManager.default.fileExists(atPath: text + ".sig"))
    }

    @Test("sign also what was built for another host")
    func signing() throws {
        let workspace = try Workspace()
        let file = try workspace.addFile("old.so", "old", compiler: "5.9")
        let key = try workspace.write("key", "no key")
        let outcome = workspace.eaves("sign", "--key", key, file)
        // With ssh-keygen or without.
        #expect(outcome.errors.hasPrefix("error: cannot "), "\(outcome)")
        #expect(outcome.code != 76)
    }

    @Test("remove an entry and its bindings, and say which services are bound to nothing then")
    func removing() throws {
        let workspace = try Workspace(
            manifest: """
                {
                  "manifest": 1,
                  "modules": { "far": { "library": "vendor/far.so" } },
                  "bindings": { "Weather": "far", "Tides": "far", "Users": "home" }
                }

                """)
        try workspace.addFile("vendor/far.so", "far", provides: "Weather")
        let removed = workspace.eaves("remove", "far")
        #expect(
            removed.errors == """
                removed far
                Weather is bound to no module now
                Tides is bound to no module now

                """)
        let manifest = try manifest(workspace)
        #expect(manifest.entry("far") == nil)
        #expect(manifest.bindings.map(\.service) == ["Users"])
    }

    @Test("do not remove what was found in a directory")
    func removingFound() throws {
        let workspace = try Workspace()
        try workspace.addFile("Plugins/home.so", "home")
        let outcome = workspace.eaves("remove", "home")
        #expect(outcome.code == 66)
        #expect(
            outcome.errors.contains(
                "the manifest does not list 'home', which was found at Plugins/home.so"))
    }

    @Test("pin and unpin modules, some or all")
    func pinning() throws {
        let workspace = try Workspace()
        let home = try workspace.addFile("Plugins/home.so", "home")
        try workspace.addFile("Plugins/users.so", "users")
        try workspace.write("Plugins/text.so", "no module")
        let pinned = workspace.eaves("pin", "home")
        let digest = try #require(try manifest(workspace).entry("home")?.sha256)
        #expect(digest.count == 64)
        #expect(pinned.errors == "pinned home to \(digest)\n")
        #expect(workspace.eaves("pin", "home").errors == "home is already pinned\n")
        // All that could be loaded; of the others it says why not.
        let all = workspace.eaves("pin", "--all")
        #expect(all.code == 0)
        #expect(all.errors.contains("text: expected a shared object"))
        #expect(all.errors.contains("home is already pinned\npinned users to "))
        #expect(try manifest(workspace).modules.map(\.id) == ["home", "users"])
        // Other bytes, another digest.
        try workspace.write(
            "Plugins/home.so", Data(contentsOf: URL(fileURLWithPath: home)) + Data([0]))
        #expect(workspace.eaves("pin", "home").errors.hasPrefix("pinned home to "))
        #expect(try manifest(workspace).entry("home")?.sha256 != digest)
        let unpinned = workspace.eaves("pin", "--remove", "home", "text")
        #expect(unpinned.errors == "home is no longer pinned\ntext is not pinned\n")
        #expect(workspace.eaves("pin", "--remove", "--all").errors == "users is no longer pinned\n")
        #expect(try manifest(workspace).modules.allSatisfy { $0.sha256 == nil })
    }

    @Test("pin modules by name or all, and not both", arguments: [["pin"], ["pin", "--all", "a"]])
    func pinOperands(words: [String]) {
        let outcome = TestCommand.run(words)
        #expect(outcome.code == 64)
        #expect(outcome.errors.contains("'eaves pin' expects ids of modules, or '--all'"))
    }

    @Test("unpin a module whose file is gone")
    func unpinMissing() throws {
        let sha256 = String(repeating: "0", count: 64)
        let workspace = try Workspace(
            manifest: #"{"manifest": 1, "modules": {"gone": {"sha256": "\#(sha256)"}}}"#)
        #expect(workspace.eaves("pin", "--remove", "gone").errors == "gone is no longer pinned\n")
        #expect(workspace.eaves("pin", "gone").code == 66)
    }
}

@Suite("the verdict of running hosts about an edit")
struct HostVerdictTests {
    private typealias Obstacle = RunningHost.Standing.Obstacle

    private func obstacle(_ subject: String, _ message: String = "is kept") -> Obstacle {
        Obstacle(subject: subject, problems: [Diagnostic(message, code: .configuration)])
    }

    private func host(_ obstacles: Obstacle...) -> RunningHost {
        let standing = RunningHost.Standing(
            obstacles: obstacles, isWaiting: false, trials: [], failedRestart: nil, manifest: "")
        return RunningHost(
            process: 7, program: "server", since: 0, generations: [], standing: standing)
    }

    @Test("leaves out obstacles to other subjects that were there before")
    func known() {
        let (own, other) = (obstacle("UserService"), obstacle("mail"))
        let host = host(
            own, other, obstacle("mail", "is kept for another reason"), obstacle("tides"))
        let counted = host.obstacles(about: ["UserService"], besides: [own, other])
        #expect(counted == host.obstacles.filter { $0 != other })
    }

    @Test("misses hosts that are gone, except those from which others took over, and they in turn")
    func gone() {
        func host(_ process: Int32, from predecessor: Int32? = nil) -> RunningHost {
            var host = RunningHost.silent(process)
            host.predecessor = predecessor
            return host
        }
        func gone(_ seen: [RunningHost], _ hosts: [RunningHost]) -> [Int32] {
            RunningHost.gone([host(0), host(1), host(2)], of: seen + hosts, leaving: hosts)
                .map(\.process)
        }
        #expect(gone([], [host(1), host(2)]) == [])
        #expect(gone([], [host(2)]) == [1])
        #expect(gone([host(3, from: 1)], [host(2), host(4, from: 3)]) == [])
        #expect(gone([host(3, from: 1)], [host(2), host(4)]) == [1])
    }

    @Test("counts an obstacle to the manifest as a whole, whether it is new or not")
    func whole() {
        let manifest = obstacle("")
        #expect(host(manifest).obstacles(about: ["mail"], besides: [manifest]) == [manifest])
    }
}
