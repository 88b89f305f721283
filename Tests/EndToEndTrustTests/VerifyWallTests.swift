// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("eaves verify, behind the wall of a module", .onOwnThreads, .patiently)
struct VerifyWallTests {
    /// Ends the process if one act is possible that no permission lists.
    private static let crime = """
        if (open("secret", O_RDONLY) >= 0 || open("made", O_CREAT | O_WRONLY, 0600) >= 0 \
        || socket(AF_INET, SOCK_STREAM, 0) >= 0 || fork() >= 0 || getenv("HOME") || getenv("PATH")) \
        abort()
        """

    /// Connects to a port of this machine, and ends the process if that is refused.
    private static func connecting(to port: UInt16) -> String {
        """
        struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(\(port)), \
        .sin_addr = {htonl(INADDR_LOOPBACK)}}; int s = socket(AF_INET, SOCK_STREAM, 0); \
        if (connect(s, (void *)&a, sizeof a) || write(s, "hello\\n", 6) != 6) abort(); close(s)
        """
    }

    private func workspace(_ macros: [String: String], _ entry: String = "") throws -> Workspace {
        let workspace = try Workspace.inC(macros)
        try workspace.folder.write("a secret", to: "secret")
        try workspace.manifest(#"{"manifest": 1, "modules": {"misbehaves-in-c": {\#(entry)}}}"#)
        return workspace
    }

    @Test("'--walled' keeps a module from files, connections, processes and the environment")
    func walled() throws {
        for place in ["CONSTRUCTOR", "REGISTER", "LAUNCH"] {
            let workspace = try workspace([place: Self.crime])
            let module = try #require(
                try workspace.verify("--walled", "--timeout", "1200", code: 0).first)
            #expect(module.ids("failed") == [], "\(place): \(module)")
            #expect(module.walled)
            #expect(!workspace.hasFile("made"))
            // The same code does it where there is no wall.
            let free = try #require(try workspace.verify(code: 70).first)
            #expect(!free.passed && !free.walled)
        }
    }

    @Test("a file of which no manifest knows has no permission, also next to its interfaces")
    func strangeFile() throws {
        let workspace = try workspace(["CONSTRUCTOR": Self.crime])
        let folder = try TemporaryFolder()
        for name in ["c.so", "common.so"] {
            try FileManager.default.copyItem(
                at: workspace.url.appendingPathComponent("Plugins/\(name)"),
                to: folder.url.appendingPathComponent(name))
        }
        try FileManager.default.copyItem(
            at: Repository.modules.appendingPathComponent("users-memory.so"),
            to: folder.url.appendingPathComponent("users-memory.so"))
        let eaves = Eaves(folder: folder.url, owner: folder)
        let outcome = try eaves(
            ["verify", "--walled", "--timeout", "1200", "./c.so", "./users-memory.so"])
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.output.contains("c.so): "))
        #expect(outcome.lines.last == "2 modules passed")
        #expect(outcome.lines.count { $0.hasSuffix(", behind its wall") } == 2, "\(outcome)")
        #expect(try eaves(["verify", "./c.so"]).code == 70)
    }

    @Test("an isolated module is always behind its wall, with its permissions")
    func permitted() throws {
        let server = try LoopbackListener()
        let workspace = try workspace(
            ["REGISTER": "if (!getenv(\"GIVEN\")) abort(); " + Self.connecting(to: server.port)],
            """
            "isolation": "process", "permissions": {"connect": ["127.0.0.1:\(server.port)"], \
            "environment": ["GIVEN"]}
            """)
        let outcome = try Eaves.shell(
            "GIVEN=1 exec '\(Eaves.executable.path)' verify --timeout 1200 --only registers "
                + "misbehaves-in-c", in: workspace.url)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.output.contains(": 1 passed, behind its wall\n"), "\(outcome)")
        #expect(server.received == "hello\n")
    }

    @Test("a check that fails names the connections that the module was refused")
    func refused() throws {
        let server = try LoopbackListener()
        let workspace = try workspace(
            ["REGISTER": Self.connecting(to: server.port)],
            #""isolation": "process", "permissions": {"connect": ["127.0.0.1:1"]}"#)
        let module = try #require(
            try workspace.verify(
                "--timeout", "1200", "--only", "registers", "misbehaves-in-c", code: 70
            ).first)
        let message = try #require(module.check("registers").message)
        #expect(message.contains("crashed with SIGABRT in eaves_register + "), "\(message)")
        #expect(
            message.contains(
                "misbehaves-in-c: may not connect to 127.0.0.1:\(server.port): the manifest's "
                    + "'permissions' do not list it"), "\(message)")
    }

    @Test("the modules that one needs are loaded behind its wall, and judged as without it")
    func needs() throws {
        let workspace = try Workspace.bare(["users", "users-memory", "login"])
        let free = try workspace.verify("--timeout", "1200", code: 0)
        let walled = try workspace.verify("--walled", "--timeout", "1200", code: 0)
        #expect(walled.count == 3)
        for (free, walled) in zip(free, walled) {
            #expect(Self.judged(free) == Self.judged(walled), "\(walled)")
            #expect(walled.walled)
        }
    }

    /// The checks that ran. A busy machine can make a module slow.
    private static func judged(_ module: VerifyOutcome.Module) -> [String] {
        module.ids("passed").filter { $0 != "quick-registration" }
    }

    @Test(
        "a user without rights has the same wall", .enabled(if: geteuid() == 0, "needs root"))
    func otherUser() throws {
        let workspace = try workspace(["REGISTER": Self.crime])
        let user = UInt32.random(in: 100_000...200_000)
        let outcome = try Eaves.shell(
            """
            chown -R \(user):\(user) . && \
            setpriv --reuid=\(user) --regid=\(user) --clear-groups \
            '\(Eaves.executable.path)' verify --walled --timeout 1200 misbehaves-in-c
            """, in: workspace.url)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.output.contains(", behind its wall\n"))
    }

    @Test("where the system does not enforce a wall, no code of the module runs")
    func unenforced() throws {
        let workspace = try workspace(["CONSTRUCTOR": "open(\"made\", O_CREAT | O_WRONLY, 0600)"])
        let folder = try TemporaryFolder()
        let strange = try StrangeKernel(in: folder)
        for how in ["missing", "pretended", "unfiltered"] {
            let outcome = try strange.run(
                workspace.eaves, hiding: how,
                ["verify", "--walled", "--timeout", "1200", "misbehaves-in-c"])
            #expect(outcome.code == 78, "\(outcome)")
            #expect(
                outcome.output.contains(
                    "misbehaves-in-c: the system does not take all other rights from its process: "),
                "\(outcome)")
            #expect(!workspace.hasFile("made"))
        }
    }
}

extension Workspace {
    fileprivate func hasFile(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: url.appendingPathComponent(name).path)
    }
}
