// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a bad manifest", .onOwnThreads)
struct BadManifestTests {
    @Test(
        "is refused with the position of the mistake, by every command that needs it",
        arguments: [
            (
                "",
                """
                manifest.json:1:1: expected a value, found the end of the text
                fix: write the missing part
                """
            ),
            (
                #"{"manifest": 1, "launch": }"#,
                """
                manifest.json:1:27: expected a value, found '}'
                fix: write a value there
                """
            ),
            (
                #"{"manifest": 1, "modules": {"users": {"libary": "users.so"}}}"#,
                """
                manifest.json:1:39: modules.users: unknown key 'libary', did you mean 'library'?
                fix: remove it, or use one of 'library', 'enabled', 'sha256', 'leastVersion', \
                'isolation', 'permissions', 'limits', 'executableStack', 'discardState', 'settings'
                """
            ),
        ])
    func fault(text: String, message: String) throws {
        let workspace = try Workspace()
        try workspace.manifest(text)
        for words in [["list"], ["launch", "users"], ["swap", "UserService", "users-v2"]] {
            let outcome = try workspace.eaves(words)
            outcome.expectFailure(65, "error: " + message)
        }
        #expect(try workspace.folder.read("manifest.json") == text)
    }

    @Test("is reported when it does not exist")
    func missing() throws {
        let workspace = try Workspace()
        try FileManager.default.removeItem(
            at: workspace.url.appendingPathComponent("manifest.json"))
        for words in [["list"], ["launch", "users"], ["build"], ["rollback"], ["enable", "home"]] {
            let outcome = try workspace.eaves(words)
            outcome.expectFailure(
                66,
                """
                error: no manifest.json in \(workspace.realPath) or any folder above it
                fix: go to the folder that holds it, name it with '--manifest PATH', or begin a project here \
                with 'eaves init'
                """)
        }
        try workspace.eaves("list", "--manifest", "other.json").expectFailure(
            66,
            """
            error: other.json: no such manifest
            fix: name a manifest with '--manifest PATH', or write '{ "manifest": 1 }' to this file
            """)
    }

    @Test("is refused when it is not a file, without waiting for a pipe")
    func noFile() throws {
        let workspace = try Workspace()
        #expect(mkfifo(workspace.url.appendingPathComponent("pipe.json").path, 0o600) == 0)
        // A folder stands for the manifest in it.
        let folder = workspace.url.appendingPathComponent("other/manifest.json")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (path, file, kind) in [
            ("other", "other/manifest.json", "directory"), ("pipe.json", "pipe.json", "pipe"),
        ] {
            try workspace.eaves("list", "--manifest", path).expectFailure(
                65,
                """
                error: \(file): expected a file, found a \(kind)
                fix: name a file with '--manifest PATH'
                """)
        }
        try workspace.eaves("list", "--manifest", "/dev/zero").expectFailure(
            65,
            """
            error: /dev/zero: expected a file, found a device
            fix: name a file with '--manifest PATH'
            """)
    }

    @Test("lists all other modules when it names a directory and modules that do not exist")
    func nothingThere() throws {
        let workspace = try Workspace()
        try workspace.manifest(
            """
            {
              "manifest": 1,
              "directories": ["Plugins", "Plugin"],
              "modules": { "ghost": {}, "gone": { "library": "vendor/gone.so" } },
              "bindings": { "UserService": "users-memory", "EventHandler": "analitics" }
            }
            """)
        let outcome = try workspace.eaves("list")
        #expect(outcome.code == 0)
        #expect(
            outcome.errors == """
                warning: manifest.json:4:16: modules.ghost: there is no module 'ghost'
                fix: build it or put it into a directory of 'directories', or name its 'library'
                warning: gone: the file is not there (vendor/gone.so)
                fix: build it, or correct the path
                warning: manifest.json: directories[1]: cannot list the directory 'Plugin': \
                No such file or directory
                fix: create 'Plugin', or take it out of 'directories'
                warning: manifest.json:5:48: bindings.EventHandler: there is no module 'analitics', \
                did you mean 'analytics'?
                fix: bind it to one that 'eaves list' shows, or put the module into a directory

                """)
        try workspace.expectOthersWork()
    }

    @Test("is reported when a feature is not found because a directory does not exist")
    func missingDirectory() throws {
        let workspace = try Workspace()
        try workspace.manifest(#"{"manifest": 1, "directories": ["Plugin"]}"#)
        try workspace.eaves("launch", "users").expectFailure(
            66,
            """
            error: no module offers a feature 'users'
            fix: see all features with 'eaves list'
            error: manifest.json: directories[0]: cannot list the directory 'Plugin': \
            No such file or directory
            fix: create 'Plugin', or take it out of 'directories'
            """)
    }
}
