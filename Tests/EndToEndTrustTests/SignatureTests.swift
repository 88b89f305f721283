// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite(
    "where signatures are required", .onOwnThreads,
    .enabled(if: SigningFixture.isPossible, "needs OpenSSH's 'ssh-keygen'"))
struct SignatureTests {
    private let fixture: SigningFixture
    private var workspace: Workspace { fixture.workspace }

    init() throws { fixture = try SigningFixture() }

    @Test("a module signed by an allowed signer is loaded, and shown with the signer")
    func signed() throws {
        let signed = try workspace.eaves(
            "sign", "--key", fixture.key, "users", "Plugins/users-memory.so")
        #expect(
            signed.errors == """
                signed users: Plugins/users.so.sig
                signed users-memory: Plugins/users-memory.so.sig
                users: the manifest asks for 1.0.0 or newer now
                users-memory: the manifest asks for 1.0.0 or newer now

                """)
        #expect(signed.output == "")
        #expect(try workspace.eaves("launch", "users").output == "1 Alice\n2 Bob\n")
        let key = "ED25519 key \(try fixture.fingerprint())"
        let inspected = try workspace.eaves("inspect", "users")
        #expect(inspected.lines.contains("signature: by alice@example.com, with the \(key)"))
        #expect(inspected.code == 0)
        let json = try workspace.eaves("inspect", "--json", "users").output
        #expect(
            json.hasSuffix(
                """
                  "signature": {
                    "path": "Plugins/users.so.sig",
                    "signer": "alice@example.com",
                    "key": "\(key)",
                    "problem": null
                  }
                }

                """))
    }

    @Test("without OpenSSH nothing is loaded, and the message says so")
    func noTool() throws {
        try fixture.sign("users")
        let outcome = try workspace.eaves(
            "launch", "users", environment: ["PATH": workspace.path("Plugins")])
        outcome.expectFailure(
            77,
            """
            error: common: cannot check its signature: cannot run 'ssh-keygen': No such file or \
            directory (Plugins/common.so)
            fix: install OpenSSH's client (Debian: 'openssh-client')
            """)
    }

    @Test("no code of a module runs before its signature is checked")
    func before() throws {
        // Says something as soon as it registers.
        try workspace.drop(try CFixtures.hello.get(), as: "hello.so")
        let outcome = try workspace.eaves("launch", "-v", "hello-c")
        #expect(outcome.code == 77)
        #expect(outcome.output == "")
        #expect(outcome.errors.split(separator: "\n").count == 2, "\(outcome)")
    }

    @Test("where signatures are not required, a signature is shown, and a missing one is no error")
    func notRequired() throws {
        try fixture.sign("users")
        try workspace.manifest(
            #"{"manifest": 1, "bindings": {"UserService": "users-memory"}}"#)
        try workspace.expectOthersWork()
        try FileManager.default.removeItem(atPath: workspace.path("allowed_signers"))
        let inspected = try workspace.eaves("inspect", "users")
        #expect(inspected.code == 0)
        #expect(inspected.output.contains("signature: does not count: cannot tell whose"))
        #expect(
            try workspace.eaves("inspect", "--json", "home").output
                .contains("\"signature\": null"))
    }

    @Test(
        "a live host takes a pair of file and signature in either order, and tells of a revoked key"
    )
    func live() throws {
        try fixture.sign("users", "users-memory")
        let other = try BuiltProject.sample(
            "signed-later", only: ["users-memory"],
            edits: [.init("UsersMemory/UsersMemoryModule.swift", "Alice", "Carol")])
        try workspace.drop(
            URL(fileURLWithPath: workspace.path("Plugins/users-memory.so")), as: ".old")
        try fixture.sign("Plugins/.old")
        let shell = try LiveEaves.shellWithUsers(in: workspace.url)
        func put(_ name: String, _ file: String) throws {
            try workspace.replace(name, with: URL(fileURLWithPath: file))
        }
        try put("users-memory.so", other.file("users-memory"))
        try shell.wait(for: "refused users-memory generation ", "signature is not valid")
        try fixture.sign("users-memory")
        try shell.wait(for: "swapped users-memory: generation ")
        try put("users-memory.so.sig", workspace.path("Plugins/.old.sig"))
        try shell.wait(for: "not taken on: users-memory: its signature is not valid")
        try put("users-memory.so", workspace.path("Plugins/.old"))
        try shell.wait(for: "swapped users-memory: generation ")
        func isTold() throws -> Bool {
            try workspace.eaves("generations").output.contains("'revoked_keys' revokes")
        }
        #expect(try !isTold())
        try put("../revoked_keys", fixture.key + ".pub")
        try shell.wait(for: "not taken on: users-memory: signed with the ED25519 key ")
        #expect(try isTold())
        try FileManager.default.removeItem(atPath: workspace.path("revoked_keys"))
        try Patience.wait(for: "the end of the obstacle") { try !isTold() }
        #expect(try shell.finish().code == 0)
    }

    /// The tool that checks signatures stands in for the quickest possible attacker: it overwrites the
    /// file after the digest is checked and before the module is loaded.
    @Test(
        "loads the bytes that it checked, whatever happens to the file meanwhile",
        arguments: [false, true])
    func noGap(isCached: Bool) throws {
        try fixture.sign("users", "users-memory")
        #expect(try workspace.eaves("pin", "users", "users-memory").code == 0)
        if isCached {
            // What was changed just now is not kept.
            try workspace.folder.settle()
            #expect(try workspace.eaves("list").code == 0)
        }
        let real = try Eaves.shell("command -v ssh-keygen", in: workspace.url).lines[0]
        try workspace.folder.write(
            """
            #!/bin/sh
            "\(real)" "$@"
            code=$?
            for word; do case $word in *.so.sig) file=${word%.sig} ;; esac; done
            case $2 in verify)
                cat Plugins/users-v2.so > "$file"
                echo "$file" >> log ;;
            esac
            exit $code

            """, to: "tools/wrapper")
        let made = try Eaves.shell(
            "cp tools/wrapper tools/ssh-keygen && chmod 755 tools/ssh-keygen", in: workspace.url)
        #expect(made.code == 0)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let outcome = try workspace.eaves(
            "launch", "users", environment: ["PATH": workspace.path("tools") + ":" + path])
        // Charlie would have come from what was put there.
        #expect(outcome.output == "1 Alice\n2 Bob\n", "\(outcome)")
        #expect(outcome.code == 0)
        #expect(
            try workspace.folder.read("log") == """
                \(workspace.realPath)/Plugins/common.so
                \(workspace.realPath)/Plugins/users.so
                \(workspace.realPath)/Plugins/users-memory.so

                """)
        // The next launch looks at what is there now.
        #expect(try workspace.eaves("launch", "users").code == 66)
    }
}
