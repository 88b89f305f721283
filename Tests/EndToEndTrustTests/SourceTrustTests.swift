// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("builds and runs only what others cannot change", .onOwnThreads)
struct SourceTrustTests {
    /// A program that leaves a file behind in the working directory, and then does what the real one does.
    private static func spy(_ name: String) throws -> String {
        let found = try Eaves.shell("command -v \(name)", in: Repository.folder)
        let real = found.lines.first ?? "false"
        return "#!/bin/sh\necho > spy-ran\nexec \(real) \"$@\"\n"
    }

    /// Puts such a program into a folder of the workspace. Another process makes it: a file that this
    /// process writes can be open in a child.
    private func addSpy(_ name: String, to folder: String, of workspace: Workspace) throws {
        try workspace.folder.write(try Self.spy(name), to: "text")
        let line = "mkdir -p \(folder) && install -m 755 text \(folder)/\(name) && rm text"
        #expect(try Eaves.shell(line, in: workspace.url).code == 0)
    }

    private var path: String { ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin" }

    @Test(
        "sources, with 'eaves build' and 'eaves launch'",
        arguments: ["Plugins/Users", "Plugins/Users/UsersModule.swift"],
        [["build", "users"], ["build", "./Plugins/Users"], ["build"], ["launch", "users"]])
    func sources(name: String, command: [String]) throws {
        let workspace = try Workspace(sources: true)
        try workspace.setMode(0o777, of: name)
        if command == ["build"] {
            // Of the others, none is compiled.
            try workspace.manifest(#"{"manifest": 1, "directories": ["Plugins"]}"#)
        }
        let environment = ["EAVES_SWIFTC": "/bin/false"]
        let outcome = try workspace.eaves(command, environment: environment)
        #expect(outcome.errors.contains("error: \(name): expected a "), "\(outcome)")
        #expect(outcome.errors.contains("that only its owner can write"), "\(outcome)")
        if command != ["build"] { #expect(outcome.code == 77, "\(outcome)") }
        #expect(!workspace.folder.has("Plugins/users.so"))
    }

    /// A library in front of the C library tells no kinds, as some file systems do.
    @Test("sources on a file system that does not tell the kinds of files")
    func kinds() throws {
        let workspace = try Workspace(sources: true)
        try workspace.folder.write("", to: "Elsewhere/More.swift")
        try workspace.link("Plugins/Users/Link", to: "../../Elsewhere")
        try workspace.folder.write(
            """
            #define _GNU_SOURCE
            #include <dirent.h>
            #include <dlfcn.h>
            struct dirent *readdir(DIR *stream) {
                struct dirent *(*real)(DIR *) = dlsym(RTLD_NEXT, "readdir");
                struct dirent *entry = real(stream);
                if (entry) entry->d_type = DT_UNKNOWN;
                return entry;
            }

            """, to: "unknown.c")
        let line = "${CC:-cc} -shared -fPIC -o unknown.so.1 unknown.c -ldl"
        #expect(try Eaves.shell(line, in: workspace.url).code == 0)
        let environment = [
            "LD_PRELOAD": workspace.path("unknown.so.1"), "EAVES_SWIFTC": "/bin/false",
        ]
        for name in ["Elsewhere/More.swift", "Elsewhere", "Plugins/Users/UsersModule.swift"] {
            try workspace.setMode(0o777, of: name)
            let outcome = try workspace.eaves("build", "users", environment: environment)
            #expect(outcome.code == 77, "\(outcome)")
            #expect(outcome.errors.contains("error: \(name): expected a "), "\(outcome)")
            try workspace.setMode(name == "Elsewhere" ? 0o755 : 0o644, of: name)
        }
    }

    @Test("with a compiler that others cannot change", arguments: ["PATH", "EAVES_SWIFTC"])
    func compiler(variable: String) throws {
        let workspace = try Workspace(sources: true)
        try addSpy("swiftc", to: "tools", of: workspace)
        let tools = workspace.path("tools")
        let environment =
            variable == "PATH" ? ["PATH": "\(tools):\(path)"] : [variable: tools + "/swiftc"]
        for name in ["tools", "tools/swiftc"] {
            try workspace.setMode(0o777, of: name)
            for command in [["build", "users"], ["launch", "users"]] {
                let outcome = try workspace.eaves(command, environment: environment)
                #expect(outcome.code == 77, "\(outcome)")
                #expect(outcome.errors.contains(": will not run \(name): "), "\(outcome)")
            }
            try workspace.setMode(0o755, of: name)
        }
        #expect(!workspace.folder.has("spy-ran"))
    }

    @Test(
        "with no 'ssh-keygen' from the working directory, or that others can change",
        .enabled(if: SigningFixture.isPossible, "needs OpenSSH's 'ssh-keygen'"))
    func signatures() throws {
        let fixture = try SigningFixture()
        let workspace = fixture.workspace
        try fixture.sign("common", "users", "users-memory")
        for folder in [".", "tools"] { try addSpy("ssh-keygen", to: folder, of: workspace) }
        for prefix in [":", ".:", "tools:"] {
            let outcome = try workspace.eaves(
                "launch", "users", environment: ["PATH": prefix + path])
            #expect(outcome.code == 0, "\(outcome)")
        }
        #expect(!workspace.folder.has("spy-ran"))
        try workspace.setMode(0o777, of: "tools/ssh-keygen")
        let outcome = try workspace.eaves(
            "launch", "users", environment: ["PATH": "\(workspace.path("tools")):\(path)"])
        #expect(outcome.code == 77, "\(outcome)")
        #expect(!workspace.folder.has("spy-ran"))
    }
}
