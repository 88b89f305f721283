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
        let owners = TrustedOwners(consented: status.owner)
        return TrustRule.error(of: status, at: TrustPlace(file, .module), owners, seenAs: file)
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
