// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Glibc
import Testing

@testable import EavesSystem

@Suite struct FileStatusTests {
    private let scratch: TemporaryFolder

    init() throws { scratch = try TemporaryFolder() }

    private func status(owner: UInt32, mode: UInt32 = 0o600) -> FileStatus {
        FileStatus(
            kind: .file, device: 1, inode: 2, size: 3, modified: 4, changed: 5, owner: owner,
            group: 0, mode: mode)
    }

    @Test("tells kind, size, permissions and owner, and follows links")
    func fields() throws {
        try Files.replace(scratch.file("file"), with: [1, 2, 3], mode: 0o640)
        #expect(symlink("file", scratch.file("link")) == 0)
        let status = try FileStatus(path: scratch.file("link"))
        #expect(status.kind == .file)
        #expect(status.size == 3)
        #expect(status.mode == 0o640)
        #expect((status.owner, status.group) == (geteuid(), getegid()))
        let file = try OpenFile(reading: scratch.file("file"))
        #expect(try file.status() == status)
        #expect(try FileStatus(path: "/dev/null").kind == .device)
        #expect(try FileStatus(path: "/").kind == .directory)
    }

    @Test("changes when the content does")
    func changes() throws {
        try Files.replace(scratch.file("file"), with: [1])
        let before = try FileStatus(path: scratch.file("file"))
        try Files.replace(scratch.file("file"), with: [2])
        #expect(try FileStatus(path: scratch.file("file")) != before)
    }

    @Test(
        "accepts every time that a file can have",
        arguments: [
            1_700_000_000, 0, -1, 10_000_000_000, 1 << 40, -(1 << 40), .max, .min,
        ])
    func anyTime(seconds: Int) throws {
        // A file in memory, for which the system keeps all 64 bits.
        let path = "/dev/shm/eaves-\(UInt64.random(in: 0 ... .max))"
        try Files.replace(path, with: [])
        defer { unlink(path) }
        var times = [timespec(), timespec()]
        times[0].tv_sec = seconds
        times[1].tv_sec = seconds
        #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
        let status = try FileStatus(path: path)
        let (expected, overflows) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        if !overflows { #expect(status.modified == expected) }
    }

    @Test("an open file is read in pieces, up to its end")
    func pieces() throws {
        try Files.replace(scratch.file("file"), with: Array(0..<100))
        let file = try OpenFile(reading: scratch.file("file"))
        #expect(try file.bytes(at: 10, count: 5) == [10, 11, 12, 13, 14])
        #expect(try file.bytes(at: 98, count: 50) == [98, 99])
        #expect(try file.bytes(at: 100, count: 1) == [])
        #expect(try file.bytes(at: 0, count: 0) == [])
        #expect(
            errno { _ = try OpenFile(creating: scratch.file("file"), mode: 0o600) } == .fileExists)
    }

    @Test(
        "tells whether users other than the owner may write",
        arguments: [
            (0o644, false, false), (0o755, false, false), (0o600, false, false),
            (0o620, true, true), (0o4020, true, true), (0o602, true, false), (0o666, true, false),
            (0o777, true, false), (0o1777, true, false), (0o7755, false, false),
        ] as [(UInt32, Bool, Bool)])
    func writableByOthers(mode: UInt32, isWritable: Bool, byGroupAlone: Bool) {
        let status = status(owner: 0, mode: mode)
        #expect(status.isWritableByOthers == isWritable)
        #expect(status.isWritableByGroupAlone == byGroupAlone)
    }

    @Test("tells files of this process's user from those of others")
    func owners() {
        let user = geteuid()
        let stranger: UInt32 = user == 4_321 ? 4_322 : 4_321
        #expect(status(owner: user).isOwnedByUser)
        #expect(status(owner: 0).isOwnedByUser == (user == 0))
        #expect(!status(owner: stranger).isOwnedByUser)
    }
}

@Suite("The identity of a file", .onOwnThreads)
struct FileIdentityTests {
    @Test(
        "is written as size, device, inode and both times in base 36",
        arguments: [0, 1, 35, 36, 1_763_741_471_123_456_789, .max, -1] as [Int64])
    func text(number: Int64) {
        let status = FileStatus(
            kind: .file, device: UInt64(bitPattern: number), inode: 36, size: 35,
            modified: number, changed: 1, owner: 0, group: 0, mode: 0o600)
        let long = String(UInt64(bitPattern: number), radix: 36)
        #expect(FileIdentity(status).text == "z-\(long)-10-\(long)-1")
    }

    @Test("settles only when both times are more than a tick old")
    func settles() {
        let second: Int64 = 1_000_000_000
        func isSettled(modified: Int64, changed: Int64, now: Int64) -> Bool {
            FileIdentity(device: 1, inode: 2, size: 3, modified: modified, changed: changed)
                .isSettled(at: now)
        }
        let (fine, coarse) = (second + 5, second)
        #expect(isSettled(modified: fine, changed: fine, now: fine + 20_000_001))
        #expect(!isSettled(modified: fine, changed: fine, now: fine + 20_000_000))
        #expect(!isSettled(modified: coarse, changed: fine, now: fine + 20_000_001))
        #expect(!isSettled(modified: fine, changed: coarse, now: fine + 20_000_001))
        #expect(isSettled(modified: coarse, changed: coarse, now: coarse + 2 * second + 1))
        #expect(!isSettled(modified: coarse, changed: coarse, now: coarse + 2 * second))
    }
}

@Suite struct AccountsTests {
    @Test("names users and groups, and gives the numbers of those without a name")
    func names() {
        #expect(Accounts.name(ofUser: 0) == "root")
        #expect(Accounts.name(ofGroup: 0) == "root")
        #expect(Accounts.name(ofUser: 3_999_999_999) == "3999999999")
        #expect(Accounts.name(ofGroup: 3_999_999_999) == "3999999999")
        #expect(Accounts.current == geteuid())
    }

    /// Compares the answers with the files of users and groups, for every pair of them.
    @Test("a group is private if it is the user's own, has the user's name and no other members")
    func privateGroups() throws {
        let users = try table("passwd")
        let groups = try table("group")
        for user in users {
            for group in groups {
                let isOwn = user[3] == group[2] && user[0] == group[0]
                let isShared =
                    users.contains { $0[3] == group[2] && $0[2] != user[2] }
                    || group[3].split(separator: ",").contains { $0 != user[0] }
                let (number, owner) = try (
                    #require(UInt32(group[2])), #require(UInt32(user[2]))
                )
                #expect(
                    Accounts.isPrivate(group: number, of: owner) == (isOwn && !isShared),
                    "\(user[0]) \(group[0])")
            }
        }
        #expect(!Accounts.isPrivate(group: 3_999_999_999, of: 3_999_999_999))
    }

    /// The machine may have no group that only differs in its members.
    @Test(
        "a group that has a user's name is not private if its record lists another one",
        arguments: [
            ([], true), (["ada"], true), (["ada", "eve"], false), (["eve"], false),
        ])
    func members(members: [String], isPrivate: Bool) {
        #expect(Accounts.isPrivate("ada", members, of: "ada") == isPrivate)
        #expect(!Accounts.isPrivate("staff", members, of: "ada"))
    }

    private func table(_ name: String) throws -> [[String]] {
        String(decoding: try Files.read("/etc/\(name)"), as: UTF8.self).split(separator: "\n")
            .map {
                $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            }
            .filter { $0.count >= 4 && !$0[0].hasPrefix("#") }
    }
}
