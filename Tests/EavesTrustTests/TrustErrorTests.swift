// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesTrust

@Suite("Access control lists", .enabled(if: geteuid() == 0, "needs root"))
struct AccessListTests {
    private static let stranger: UInt32 = 54321
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = try folder.write("module", to: "file.so", mode: 0o664)
        // A user with a group of the same name and without other members exists on every machine.
        let owner = try #require(Self.privateUser, "no user has a private group")
        try #require(chown(file, owner.id, owner.group) == 0)
    }

    /// Root is one on most machines, else some user of a service is.
    private static var privateUser: (id: UInt32, group: UInt32)? {
        (0...UInt32(999)).first { Accounts.isPrivate(group: $0, of: $0) }.map { ($0, $0) }
    }

    /// Sets the list of the file: its owner, one more entry, its group, a mask, and everybody.
    private func setList(
        _ tag: UInt16, _ id: UInt32, _ permissions: UInt16, mask: UInt16 = 6
    ) throws {
        var bytes: [UInt8] = [2, 0, 0, 0]
        func add(_ tag: UInt16, _ permissions: UInt16, _ id: UInt32 = .max) {
            for part in [UInt32(tag) | UInt32(permissions) << 16, id] {
                bytes += (0..<4).map { UInt8(truncatingIfNeeded: part >> (8 * $0)) }
            }
        }
        add(0x01, 6)
        if tag == 0x02 { add(tag, permissions, id) }
        add(0x04, 6)
        if tag == 0x08 { add(tag, permissions, id) }
        add(0x10, mask)
        add(0x20, 4)
        try #require(setxattr(file, "system.posix_acl_access", bytes, bytes.count, 0) == 0)
    }

    private func error() throws -> TrustError? {
        let status = try FileStatus(path: file)
        return TrustCheck(consented: status.owner).error(of: status, at: TrustPlace(file, .module))
    }

    @Test("a private group alone gives nobody else the permission")
    func noList() throws {
        let list = try AccessList(of: file)
        #expect(list?.otherWriter(than: 0) == nil)
        #expect(try error() == nil)
    }

    @Test(
        "a list that lets a further user or group write is refused",
        arguments: [
            (0x02, 6, 6, true), (0x08, 6, 6, true), (0x02, 4, 6, false), (0x08, 4, 6, false),
            (0x02, 2, 2, true), (0x02, 6, 4, false),
        ] as [(UInt16, UInt16, UInt16, Bool)])
    func list(tag: UInt16, permissions: UInt16, mask: UInt16, isRefused: Bool) throws {
        try setList(tag, Self.stranger, permissions, mask: mask)
        let writer: AccessList.Writer =
            tag == 0x02 ? .user(Self.stranger) : .group(Self.stranger)
        let expected = TrustError.accessList(TrustPlace(file, .module), writer)
        #expect(try error() == (isRefused ? expected : nil))
    }

    @Test("the message names whom the list lets write, and how to remove it")
    func words() throws {
        try setList(0x02, Self.stranger, 6)
        let diagnostic = try #require(try error()).diagnostic
        #expect(
            diagnostic.message.hasSuffix(
                "found that its access control list lets the user '54321' write it"))
        #expect(diagnostic.fix?.contains("setfacl -b ") == true)
        #expect(diagnostic.code == .untrusted)
    }
}

@Suite("The words of trust errors")
struct TrustErrorTests {
    private static func place(_ role: TrustPlace.Role) -> TrustPlace {
        TrustPlace(Path.join(Path.current, "place"), role)
    }

    @Test(
        "say what was expected and found, and what to do",
        arguments: [
            (
                .module, 0o666, "a file",
                "check that it is what you put there, then run 'chmod go-w "
            ),
            (.manifest, 0o606, "a manifest", "check that it is what you put there, then run "),
            (.allowedSigners, 0o666, "a list of signers", "check that it is what you put there"),
            (.source, 0o666, "a source file", "check that it is what you put there"),
            (.way, 0o777, "a directory", "check that all in it is yours, then run 'chmod go-w "),
            (.way, 0o1777, "a directory", "move your files from it to a directory that only you"),
            (
                .store, 0o777, "a store",
                "check that all in it is yours, then run 'chmod -R go= place'"
            ),
        ] as [(TrustPlace.Role, UInt32, String, String)])
    func writable(role: TrustPlace.Role, mode: UInt32, kind: String, fix: String) {
        let error = TrustError.writable(Self.place(role), mode: mode, group: 54321)
        #expect(
            error.diagnostic.message
                == "place: expected \(kind) that only its owner can write, found that everybody "
                + "can (mode 0\(String(mode, radix: 8)))")
        #expect(error.diagnostic.fix?.hasPrefix(fix) == true, "\(error.diagnostic)")
        #expect(error.diagnostic.code == .untrusted)
    }

    @Test("name the group that can write")
    func group() {
        let error = TrustError.writable(Self.place(.module), mode: 0o664, group: 54321)
        #expect(
            error.diagnostic.message.hasSuffix(", found that the group '54321' can (mode 0664)"))
    }

    @Test("name the owner, and the one that was expected")
    func owner() {
        let error = TrustError.owner(Self.place(.module), 54321)
        let user = Accounts.name(ofUser: Accounts.current)
        let wanted = Accounts.current == 0 ? "root" : "root or \(user)"
        #expect(
            error.diagnostic.message
                == "place: expected a file that belongs to \(wanted), found that it belongs to 54321"
        )
        #expect(
            error.diagnostic.fix
                == "if you trust it, make it yours: copy it, or run 'chown \(user) place' as root")
    }

    @Test("name the module for its own file, and not for directories and manifests")
    func module() {
        let file = Self.place(.module)
        func message(_ error: TrustError, file path: String = file.path) -> String {
            error.diagnostic(ofModule: "users", path: "Plugins/users.so", file: path).message
        }
        let error = TrustError.owner(file, 54321)
        #expect(message(error).hasPrefix("users: expected a file that belongs to "))
        #expect(message(error).hasSuffix(" (Plugins/users.so)"))
        // The file stands elsewhere, behind a link.
        #expect(message(error, file: "/link").hasSuffix(" (Plugins/users.so → place)"))
        for role in [TrustPlace.Role.way, .manifest, .store] {
            let error = TrustError.owner(Self.place(role), 54321)
            #expect(message(error) == error.diagnostic.message)
        }
        let outside = TrustError.escapes(link: file.path, target: "/elsewhere/users.so")
        #expect(
            message(outside)
                == "users: expected a file in the manifest's directories, found a link that leads "
                + "out of them, to /elsewhere/users.so (Plugins/users.so)")
        #expect(
            outside.diagnostic(ofModule: "users", path: "Plugins/users.so", file: file.path).fix
                == "copy the file there in place of the link, or list it: 'eaves add place'"
        )
        #expect(
            outside.diagnostic.message
                == "place: expected a file in the manifest's directories, found a link that leads out "
                + "of them, to /elsewhere/users.so")
        let unresolved = TrustError.unresolved(file, SystemError(.inspect, "/a", .tooManyLinks))
        #expect(message(unresolved).hasPrefix("users: cannot tell who can change it: /a: "))
    }
}
