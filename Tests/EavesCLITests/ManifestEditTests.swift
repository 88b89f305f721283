// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import Foundation
import Testing

/// The rules for all commands that change the manifest.
@Suite("an edit of the manifest")
struct ManifestEditTests {
    @Test(
        "is not reported as done when the manifest cannot be written",
        arguments: [
            ["enable", "off"], ["disable", "home"], ["pin", "home"], ["pin", "--all"],
            ["pin", "--remove", "off"], ["add", "vendor/far.so"],
            ["add", "--pin", "vendor/far.so"], ["remove", "off"],
            ["swap", "Weather", "home"], ["rollback"],
        ])
    func unwritable(words: [String]) throws {
        let digest = String(repeating: "0", count: 64)
        let entry = #"{"enabled": false, "sha256": "\#(digest)"}"#
        let workspace = try Workspace(
            manifest: #"{"manifest": 1, "modules": {"off": \#(entry)}}"#)
        try workspace.addFile("Plugins/home.so", "home", provides: "Weather")
        try workspace.addFile("Plugins/off.so", "off", provides: "Weather")
        try workspace.addFile("vendor/far.so", "far")
        #expect(workspace.eaves("swap", "Weather", "home").code == 0)
        #expect(workspace.eaves("rollback").code == 0)
        if words == ["rollback"] { #expect(workspace.eaves("swap", "Weather", "home").code == 0) }
        // The temporary name next to the manifest is longer than file systems allow, so that not
        // even root can write it.
        let name = String(repeating: "m", count: 250)
        let long = workspace(name)
        try FileManager.default.moveItem(atPath: workspace("manifest.json"), toPath: long)
        try FileManager.default.createSymbolicLink(
            atPath: workspace("manifest.json"), withDestinationPath: long)
        let before = try workspace.read(name)
        let history = try workspace.read(".eaves/history.json")
        let outcome = TestCommand.run(
            ["--manifest", workspace("manifest.json")]
                + words.map { $0.hasPrefix("vendor/") ? workspace($0) : $0 })
        #expect(outcome.code == 73)
        #expect(outcome.errors.hasPrefix("error: cannot create "), "\(outcome)")
        #expect(outcome.errors.split(separator: "\n").count == 1)
        #expect(try workspace.read(name) == before)
        #expect(try workspace.read(".eaves/history.json") == history)
    }

    @Test("that removes a module is undone by rollback, settings and all")
    func undoing() throws {
        let text = """
            {
              "manifest": 1,
              "modules": {
                "far": { "library": "vendor/far.so", "settings": { "key": "secret", "n": 1.50 } }
              },
              "bindings": { "Users": "home", "Weather": "far" }
            }

            """
        let workspace = try Workspace(manifest: text)
        #expect(workspace.eaves("remove", "far").code == 0)
        #expect(try !workspace.read("manifest.json").contains("secret"))
        #expect(
            workspace.eaves("rollback").errors == "put back far\nWeather is bound to far again\n")
        #expect(try workspace.read("manifest.json") == text)
        let nothing = workspace.eaves("rollback")
        #expect(nothing.code == 66)
        #expect(nothing.errors.hasPrefix("error: there is no swap or removal to undo\n"))
    }

    @Test("that is undone although it was undone by hand only says so")
    func undoneByHand() throws {
        let workspace = try Workspace()
        let before = try workspace.read("manifest.json")
        try workspace.addFile("Plugins/home.so", "home", provides: "Weather")
        #expect(workspace.eaves("swap", "Weather", "home").code == 0)
        try workspace.write("manifest.json", before)
        let outcome = workspace.eaves("rollback")
        #expect(outcome.errors == "Weather: the swap to home was undone already: no binding\n")
        #expect(outcome.code == 0)
        #expect(try workspace.read("manifest.json") == before)
        #expect(workspace.eaves("rollback").code == 66)
    }

    @Test("that adds a file writes a relative path where one will do")
    func relative() throws {
        let workspace = try Workspace()
        try workspace.write("project/manifest.json", #"{"manifest": 1}"#)
        func library(_ file: String, through manifest: String = "project/manifest.json") throws
            -> String?
        {
            let outcome = TestCommand.run(["--manifest", workspace(manifest), "add", file])
            #expect(outcome.code == 0, "\(outcome)")
            let modules = try Manifest.load(workspace(manifest)).modules
            try workspace.write(manifest, #"{"manifest": 1}"#)
            return modules.first?.library
        }
        let inside = try workspace.addFile("project/vendor/in.so", "in")
        #expect(try library(inside) == "vendor/in.so")
        let beside = try workspace.addFile("shelf/far.so", "far")
        #expect(try library(beside) == "../shelf/far.so")
        // Through links to the folder, the path in the text leads elsewhere.
        try FileManager.default.createSymbolicLink(
            atPath: workspace("way"), withDestinationPath: workspace("project"))
        #expect(try library(inside, through: "way/manifest.json") == "vendor/in.so")
        try FileManager.default.createDirectory(
            atPath: workspace("other"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: workspace("other/way"), withDestinationPath: workspace("project"))
        #expect(try library(beside, through: "other/way/manifest.json") == beside)
        // The link to a release stays, and leads to the next one later.
        for (link, release) in [("shelf/current", "shelf/1"), ("project/current", "project/1")] {
            try workspace.addFile("\(release)/new.so", "new")
            try FileManager.default.createSymbolicLink(
                atPath: workspace(link), withDestinationPath: workspace(release))
        }
        #expect(try library(workspace("shelf/current/new.so")) == "../shelf/current/new.so")
        #expect(try library(workspace("way/current/new.so")) == "current/new.so")
    }

    @Test("that adds the same file by another way finds that it is known")
    func knownByAnotherWay() throws {
        let workspace = try Workspace()
        try workspace.addFile("Plugins/home.so", "home")
        let way = workspace.path + "-way"
        try FileManager.default.createSymbolicLink(
            atPath: way, withDestinationPath: workspace.path)
        defer { try? FileManager.default.removeItem(atPath: way) }
        #expect(
            workspace.eaves("add", way + "/Plugins/home.so").errors
                == "home is already known: Plugins/home.so\n")
    }
}

@Suite("eaves history and eaves rollback in numbers")
struct HistoryCommandTests {
    @Test("list the changes, and refuse what is no number of steps")
    func history() throws {
        let workspace = try Workspace()
        #expect(workspace.eaves("history").output == "no changes to undo\n")
        for id in ["a", "b"] {
            let file = try workspace.addFile("vendor/\(id).so", id, provides: "Users")
            #expect(workspace.eaves("add", file).code == 0)
        }
        #expect(workspace.eaves("swap", "Users", "a").code == 0)
        #expect(workspace.eaves("swap", "Users", "b").code == 0)
        #expect(workspace.eaves("remove", "b").code == 0)
        let lines = workspace.eaves("history").lines
        try #require(lines.count == 4)
        #expect(lines.first?.hasPrefix("STEPS  TIME") == true)
        #expect(lines[1].hasPrefix("1      20"))
        #expect(lines[1].hasSuffix("  removed b, which Users came from"))
        #expect(lines[3].hasSuffix("  Users: no binding → a"))
        for steps in ["0", "-1", "1.5"] {
            let outcome = workspace.eaves("rollback", "--", steps)
            #expect(outcome.code == 64)
            #expect(
                outcome.errors.contains("expects a number of steps, 1 or more, found '\(steps)'"))
        }
        #expect(workspace.eaves("rollback", "4").code == 66)
        #expect(
            workspace.eaves("rollback", "3").errors
                == "put back b\nUsers is bound to b again\nUsers: b → a\nUsers: a → no binding\n")
        #expect(workspace.eaves("history", "--json").output.contains(#""changes": []"#))
    }
}
