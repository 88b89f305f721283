// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

/// A module in a process of its own tries to do what its permissions do not list.
@Suite("the wall around a module in a process of its own", .onOwnThreads)
struct WallTests {
    /// The built modules. Each test has a copy.
    private static let built = Result { try BuiltFixture("Walled") }

    let folder: TemporaryFolder
    var eaves: Eaves { Eaves(folder: folder.url, owner: folder) }

    init() throws {
        folder = try Self.built.get().copy()
        try folder.write("a secret", to: "others/secret")
        try folder.write("", to: "others/empty/.keep")
        try FileManager.default.removeItem(
            at: folder.url.appendingPathComponent("others/empty/.keep"))
    }

    func permit(_ permissions: String) throws {
        try folder.write(
            #"{"manifest": 1, "modules": {"prisoner": {"isolation": "process", "permissions": {\#(permissions)}}}}"#,
            to: "manifest.json")
    }

    func warden(
        _ steps: String..., options: [String] = [], environment: [String: String] = [:]
    ) throws -> Eaves.Outcome {
        try eaves(["launch"] + options + ["warden"] + steps, environment: environment)
    }

    func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    @Test("stops every way out that the fixture knows")
    func escapes() throws {
        try folder.write(
            #"{"manifest": 1, "modules": {"prisoner": {"isolation": "process"}}}"#,
            to: "manifest.json")
        let outcome = try warden("escape=\(path("others"))")
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.lines.count > 100)
        let refusals = [
            "Operation not permitted", "Permission denied", "Function not implemented",
            "Operation not supported",
            // A machine need not have the device.
            "No such file or directory",
        ]
        for line in outcome.lines {
            #expect(refusals.contains { line.hasSuffix(": \($0)") }, "\(line)")
        }
        let left = try FileManager.default.subpathsOfDirectory(atPath: path("others"))
        #expect(left.sorted() == ["empty", "secret"])
        #expect(try folder.read("others/secret") == "a secret")
    }

    @Test("stands in the documentation, way by way")
    func documented() throws {
        let page = try String(
            contentsOf: Repository.file("Documentation/Internals/Wall.md"), encoding: .utf8)
        let source = try String(
            contentsOf: Repository.file(
                "Tests/Fixtures/Walled/Plugins/Prisoner/escape.c"), encoding: .utf8)
        let ways = source.matches(of: #/ way\("([^"]+)"/#).map { String($0.output.1) }
        #expect(ways.count > 100)
        let told = page.split(whereSeparator: \.isNewline).joined(separator: " ")
        for way in ways { #expect(told.contains(way), "\(way)") }
    }

    @Test("lets through what the permissions list, and nothing beside it")
    func files() throws {
        try permit(#""read": ["others/secret"], "write": ["data", "emptied"]"#)
        try folder.write("x", to: "data/kept")
        try folder.write("x", to: "emptied")
        let outcome = try warden(
            "read=\(path("others/secret"))", "change=\(path("others"))", "change=\(path("data"))",
            "read=\(path("data/kept"))", "read=\(path("manifest.json"))",
            "change=\(path("data/.."))", "empty=\(path("emptied"))",
            "empty=\(path("others/secret"))")
        let denied = "Permission denied"
        #expect(
            outcome.lines
                == ["worked", denied, "worked", "worked", denied, denied, "worked", denied])
        #expect(try folder.read("data/kept") == "x" && folder.read("emptied").isEmpty)
    }

    @Test("gives a folder for temporary files, which goes with the process")
    func temporaryFiles() throws {
        let place = try TemporaryFolder()
        let outcome = try warden(
            "temporary=1", "unnamed", "read=\(place.path)", environment: ["TMPDIR": place.path])
        let folder = try #require(outcome.lines.first)
        #expect(
            folder.hasPrefix(place.path + "/.eaves-worker.") && !folder.contains(","), "\(outcome)")
        #expect(outcome.lines.dropFirst() == ["worked", "Permission denied"])
        #expect(outcome.errors.isEmpty && outcome.code == 0, "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty)
    }

    @Test("ends a process whose temporary files take more than they may")
    func temporaryLimit() throws {
        try folder.write(
            #"{"manifest": 1, "modules": {"prisoner": {"isolation": "process", "limits": {"temporary": "4MB"}}}}"#,
            to: "manifest.json")
        let outcome = try warden("temporary=3", "temporary=5", "strike=pause", "pid")
        #expect(
            outcome.lines.count == 4 && outcome.lines[2].hasPrefix("RemoteCallError"), "\(outcome)")
        #expect(
            outcome.errors.contains(
                "prisoner: warning: has more than 4MB of temporary files, and is ended: "
                    + "'limits.temporary' of the manifest"), "\(outcome)")
    }

    @Test(
        "lets a module change the modes of files that it may write, and shorten them, and no others"
    )
    func modes() throws {
        try permit(#""read": ["others"], "write": ["data"]"#)
        try folder.write("text", to: "data/file")
        try FileManager.default.createSymbolicLink(
            atPath: path("data/link"), withDestinationPath: path("others/secret"))
        let outcome = try warden(
            "mode=\(path("data/file"))", "mode=data/file", "cut=\(path("data/file"))",
            "mode=\(path("others/secret"))", "mode=\(path("data/link"))",
            "cut=\(path("others/secret"))", "mode=\(path("data/none"))",
            "lock=\(path("data/file"))", "lock=\(path("others/secret"))", "unknown")
        let refused = "Operation not permitted"
        #expect(
            outcome.lines == [
                "worked", "worked", "worked", refused, refused, "Permission denied",
                "No such file or directory", "worked", "Permission denied",
                "Function not implemented",
            ], "\(outcome)")
        #expect(try folder.read("data/file") == "te")
        let attributes = try FileManager.default.attributesOfItem(atPath: path("data/file"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let secret = try FileManager.default.attributesOfItem(atPath: path("others/secret"))
        #expect(secret[.posixPermissions] as? Int != 0o600)
        #expect(
            outcome.errors.contains(
                "prisoner: warning: may not change \(path("others/secret")): the "
                    + "manifest's 'permissions' do not list it under 'write'"), "\(outcome)")
    }

    @Test("lets Foundation's functions work as the documentation's table says")
    func foundation() throws {
        try folder.write(
            #"{"manifest": 1, "modules": {"filer": {"isolation": "process", "permissions": {"#
                + #""read": ["others"], "write": ["data"]}}}}"#, to: "manifest.json")
        for place in ["data/old", "others/old"] { try folder.write("text", to: place) }
        let outcome = try eaves("launch", "filer", path("data"), path("others"))
        let page = try String(
            contentsOf: Repository.file("Documentation/Isolation.md"), encoding: .utf8)
        #expect(outcome.code == 0 && outcome.lines.count == 20, "\(outcome)")
        let rows = Set(page.split(separator: "\n").map(String.init))
        for line in outcome.lines { #expect(rows.contains(line)) }
    }

    @Test("names a file of the permissions that is not there", arguments: ["read", "run"])
    func missingFile(permission: String) throws {
        try permit(#""\#(permission)": ["nothing"]"#)
        let outcome = try warden("pid")
        #expect(outcome.code != 0)
        #expect(
            outcome.errors.contains(
                "prisoner: cannot run in a process of its own: its permissions name 'nothing', "
                    + "which is not there"), "\(outcome)")
        #expect(
            outcome.errors.contains(
                "fix: create it, or remove it from the module's 'permissions' in the manifest"))
    }

    @Test(
        "follows no link that a module has put in the place of a permission",
        arguments: [
            #""write": ["data", "data/logs"]"#, #""write": ["data"], "read": ["data/logs"]"#,
        ])
    func relinked(permissions: String) throws {
        try permit(permissions)
        try folder.write("", to: "data/logs/log")
        let steps = ["read=\(path("data/logs/secret"))", "pid"]
        // The messages end the process of the module, and another one takes its place.
        let outcome = try eaves(
            ["launch", "warden", "strike=relink:\(path("data/logs")):\(path("others"))", "say=00"]
                + steps)
        #expect(outcome.lines.first == "0" && !outcome.lines.contains("worked"), "\(outcome)")
        #expect(
            outcome.output.contains(
                "could not be started: cannot open \(path("data/logs")): Too many levels of symbolic links"
            ), "\(outcome)")
        let next = try eaves(["launch", "warden"] + steps)
        #expect(next.code == 78 && next.output.isEmpty, "\(next)")
        #expect(
            next.errors.contains(
                "prisoner: cannot run in a process of its own: its permissions name 'data/logs', and a "
                    + "link on the way can have been put there by a module or by another user"),
            "\(next)")
        #expect(next.errors.contains("fix: remove the link, or name the file itself"), "\(next)")
    }

    @Test("refuses a permission to change what decides about rights")
    func cage() throws {
        try permit(#""write": ["."]"#)
        for command in [["launch", "warden", "pid"], ["validate"]] {
            let outcome = try eaves(command)
            #expect(outcome.code != 0)
            #expect(
                outcome.errors.contains("its permissions let it write '")
                    && outcome.errors.contains("', which decides about the rights of modules"),
                "\(outcome)")
            #expect(
                outcome.errors.contains("fix: give the module a folder of its own, such as 'data'"))
        }
    }

    @Test("gives the environment that it may have")
    func environment() throws {
        let variables = ["EAVES_A": "a", "EAVES_B": "b", "HOME": "/home/x"]
        try permit(#""environment": ["EAVES_A"]"#)
        let outcome = try warden(
            "variable=EAVES_A", "variable=EAVES_B", "variable=HOME", "variable=PATH",
            environment: variables)
        #expect(outcome.lines == ["a", "none", "none", "none"])
    }

    @Test(
        "does not understand messages that are made by hand, and the host goes on",
        arguments: [
            ("02ffffff7f", "a message has 2147483647 bytes"),
            ("02080000000101010101010101", "a message has 8 bytes"),
            ("0209000000630000000000000000", "no message of the kind 99"),
            ("020a000000010100000000000000ff", "a message of the kind 'open' is damaged"),
            ("0209000000010100000000000000*20000", "a message of the kind 'open' is damaged"),
            ("00*3000000", "a message has version 0: expected 2"),
        ])
    func forged(_ bytes: String, _ problem: String) throws {
        let outcome = try warden("say=\(bytes)", "pid")
        #expect(outcome.code == 0)
        try #require(outcome.lines.count == 2, "\(outcome)")
        #expect(outcome.lines[0].hasPrefix("RemoteCallError: the process of module 'prisoner'"))
        #expect(outcome.lines[0].contains(problem))
        #expect(Int(outcome.lines[1]) != nil)
        #expect(outcome.errors.contains("prisoner: its process was not understood: "))
    }

    @Test("does not begin where the system has no rules for files, unless that is accepted")
    func unenforced() throws {
        let strange = try StrangeKernel(in: folder)
        let refused = try strange.run(eaves, hiding: "missing", ["launch", "warden", "pid"])
        #expect(refused.code == 78)
        #expect(refused.output.isEmpty)
        #expect(
            refused.errors.contains(
                "prisoner: the system does not take all other rights from its process: files: the system "
                    + "has no Landlock (Function not implemented)"), "\(refused)")
        #expect(refused.errors.contains("--allow-unenforced"))
        let accepted = try strange.run(
            eaves, hiding: "missing",
            ["launch", "--allow-unenforced", "warden", "read=\(path("others/secret"))"])
        #expect(accepted.code == 0)
        #expect(accepted.lines == ["worked"])
        #expect(
            accepted.errors.contains(
                "warning: prisoner: runs although the system does not take all other rights from it: files"
            ),
            "\(accepted)")
    }

    @Test("does not believe a system that only says that it enforces its rules")
    func pretended() throws {
        let strange = try StrangeKernel(in: folder)
        let refused = try strange.run(eaves, hiding: "pretended", ["launch", "warden", "pid"])
        #expect(refused.code == 78)
        for words in [
            "files: a file that it may not read could be opened",
            "files: a file that it may not change could be opened for writing",
        ] {
            #expect(refused.errors.contains(words), "\(refused)")
        }
        #expect(!refused.errors.contains("network:"))
        let unfiltered = try strange.run(eaves, hiding: "unfiltered", ["launch", "warden", "pid"])
        #expect(unfiltered.code == 78)
        for words in [
            "network: a forbidden socket", "processes: a child could be made",
            "processes: a program could be started", "memory: that of the host could be asked for",
        ] {
            #expect(unfiltered.errors.contains(words), "\(unfiltered)")
        }
    }

    @Test("is told by 'inspect'")
    func inspected() throws {
        try permit(
            #""read": ["others"], "connect": ["*:443"], "resolve": true}, "#
                + #""limits": {"call": "1500ms", "memory": "1024MB", "processes": 3"#
        )
        let outcome = try eaves("inspect", "prisoner")
        #expect(
            outcome.output.contains(
                "limited:   to 1500ms for a call, 1GB of memory, 3 processes\n"),
            "\(outcome)")
        #expect(
            outcome.output.contains(
                "permitted: reading others; connecting to *:443; resolving names\n"), "\(outcome)")
        let json = try eaves("inspect", "--json", "prisoner").output
        #expect(json.contains(#""connect": ["#) && json.contains(#""*:443""#))
    }
}
