// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesTrust

@Suite("The rule about owners and permissions, in containers")
struct ContainerRuleTests {
    /// A user without a number, who has this one on the whole machine.
    private static let hidden: UInt32 = 65534
    private static let stranger: UInt32 = 54321

    /// Checks of a sandbox that hides root, and of a unit of systemd with users of its own, which does not.
    private static let sandbox = TrustCheck(
        consented: nil, mounts: ["/config", "/modules"],
        namespace: UserNamespace(map: "1000 1000 1", overflow: hidden, root: hidden))
    private static let unit = TrustCheck(
        consented: nil, mounts: ["/config"],
        namespace: UserNamespace(map: "0 0 1", overflow: hidden, root: 0))
    private static let machine = TrustCheck(
        consented: nil, mounts: [],
        namespace: UserNamespace(map: "0 0 4294967295", overflow: hidden, root: 0))

    enum Answer { case trusted, owner, hidden, writable }

    private static func answer(
        _ check: TrustCheck, _ kind: FileStatus.Kind, _ path: String, _ owner: UInt32,
        _ mode: UInt32, _ role: TrustPlace.Role
    ) -> Answer {
        let status = FileStatus(
            kind: kind, device: 1, inode: 1, size: 1, modified: 1, changed: 1, owner: owner,
            group: hidden, mode: mode)
        switch check.error(of: status, at: TrustPlace(path, role)) {
        case nil: return .trusted
        case .writable: return .writable
        case .hidden: return .hidden
        default: return .owner
        }
    }

    @Test(
        "counts a user without a number as root where only root can have put the file",
        arguments: [
            ("/", 0o755, .way, .trusted), ("/none", 0o755, .way, .trusted),
            // Users here can write it: members of a group without a number, too.
            ("/none", 0o775, .way, .writable), ("/none", 0o777, .way, .writable),
            ("/none/user", 0o755, .store, .hidden), ("/none/lib.so", 0o644, .module, .hidden),
            ("/none/lib.so", 0o644, .manifest, .hidden), ("/none/lib.so", 0o644, .tool, .hidden),
            ("/usr/bin/none", 0o755, .tool, .trusted),
            ("/etc/eaves/none", 0o644, .consents, .trusted),
            ("/usr/bin/none", 0o775, .tool, .writable), ("/usr/bin/none", 0o757, .tool, .writable),
            ("/usr/local/none", 0o755, .tool, .hidden), ("/usrx/cc", 0o755, .tool, .hidden),
            // Its operator has named it.
            ("/modules/a/lib.so", 0o666, .module, .trusted),
        ] as [(String, UInt32, TrustPlace.Role, Answer)])
    func hiddenOwners(path: String, mode: UInt32, role: TrustPlace.Role, answer: Answer) {
        let kind: FileStatus.Kind = role == .way || role == .store ? .directory : .file
        #expect(Self.answer(Self.sandbox, kind, path, Self.hidden, mode, role) == answer)
        // Where root has a number, such a user is any other user of the machine.
        #expect(Self.answer(Self.unit, kind, path, Self.hidden, mode, role) == .hidden)
        // On the whole machine, the number is that of one user.
        #expect(Self.answer(Self.machine, kind, path, Self.hidden, mode, role) == .owner)
        #expect(Self.answer(Self.sandbox, kind, path, Self.stranger, mode, role) == .owner)
    }

    @Test("follows links of a user without a number in the root and in folders of the system alone")
    func links() {
        for (path, answer) in [
            ("/none", .trusted), ("/usr/bin/none", .trusted), ("/none/link", .hidden),
            ("/modules/link", .trusted),
        ] as [(String, Answer)] {
            #expect(Self.answer(Self.sandbox, .link, path, Self.hidden, 0o755, .way) == answer)
        }
    }

    @Test(
        "of a mount that the operator has named, owners count, and modes do not",
        arguments: [
            // The mount itself belongs to the process.
            ("/config", 54321, 0o1777, .directory, .trusted),
            ("/config", 0, 0o2775, .directory, .trusted),
            ("/config/.eaves", 0, 0o2770, .directory, .trusted),
            ("/config/manifest.json", 0, 0o664, .file, .trusted),
            ("/config/manifest.json", 0, 0o666, .file, .trusted),
            ("/config/manifest.json", 54321, 0o644, .file, .owner),
            ("/config/neighbour", 54321, 0o755, .directory, .owner),
            ("/config/..data", 54321, 0o777, .link, .owner),
            // A folder next to the mount is not in it.
            ("/configs", 0, 0o1777, .directory, .writable), ("/", 0, 0o777, .directory, .writable),
            ("/other/manifest.json", 0, 0o666, .file, .writable),
        ] as [(String, UInt32, UInt32, FileStatus.Kind, Answer)])
    func mounts(path: String, owner: UInt32, mode: UInt32, kind: FileStatus.Kind, answer: Answer) {
        let role: TrustPlace.Role = kind == .file ? .module : .way
        #expect(Self.answer(Self.sandbox, kind, path, owner, mode, role) == answer)
    }

    @Test("trusts neither the own number nor a consented one where it stands for several users")
    func ambiguous() {
        func trusts(consented: UInt32?, map: String) -> Bool {
            TrustCheck(
                consented: consented, mounts: [],
                namespace: UserNamespace(
                    map: map, overflow: consented ?? Accounts.current, root: 0)
            ).trusts(consented ?? Accounts.current)
        }
        #expect(trusts(consented: Self.hidden, map: "0 0 4294967295"))
        #expect(!trusts(consented: Self.hidden, map: "1000 1000 1"))
        #expect(trusts(consented: nil, map: "0 0 4294967295"))
        #expect(trusts(consented: nil, map: "") == (Accounts.current == 0))
    }
}

@Suite("Following a path, in containers", .enabled(if: geteuid() == 0, "needs root"))
struct ContainerWalkTests {
    private let folder: TemporaryFolder
    /// The temporary folder without links.
    private let root: String

    init() throws {
        folder = try TemporaryFolder()
        root = try #require(Files.resolved(folder.path))
        try folder.write("module", to: "mount/..1/users.so", mode: 0o664)
        try folder.link("mount/..data", to: "..1")
        try folder.link("mount/users.so", to: "..data/users.so")
        try setMode(0o2775, of: "mount/..1")
        try setMode(0o2777, of: "mount")
        try #require(chown(folder.file("mount/..1"), 0, OtherUser.id) == 0)
        try #require(chown(folder.file("mount/..1/users.so"), 0, OtherUser.id) == 0)
    }

    private func setMode(_ mode: UInt32, of name: String) throws {
        try Files.setMode(mode, of: folder.file(name))
    }

    private func giveAway(_ name: String) throws {
        try #require(lchown(folder.file(name), OtherUser.id, gid_t.max) == 0)
    }

    /// Follows a path where mounts are named, and the other user has a number or none.
    private func error(
        _ name: String, named: [String] = [], isHidden: Bool = true
    ) -> TrustError? {
        let check = TrustCheck(
            consented: nil, mounts: named.map { Path.join(root, $0) },
            namespace: UserNamespace(
                map: isHidden ? "0 0 1" : "0 0 4294967295", overflow: OtherUser.id,
                root: OtherUser.id))
        return check.error(of: TrustPlace(Path.join(root, name), .module))
    }

    @Test("takes a mount as Kubernetes makes it, if it is named")
    func mount() throws {
        guard case .writable(let place, mode: 0o2777, _) = error("mount/users.so") else {
            Issue.record("not refused")
            return
        }
        #expect(place == TrustPlace(Path.join(root, "mount"), .way))
        #expect(error("mount/users.so", named: ["mount"]) == nil)
        #expect(error("mount/users.so", named: ["other", "mount/..1"]) != nil)
        // A neighbour's file in it is refused, and so is a folder next to it that a neighbour can write.
        try giveAway("mount/..data")
        #expect(error("mount/..1/users.so", named: ["mount"], isHidden: false) == nil)
        let link = TrustPlace(Path.join(root, "mount/..data"), .way)
        #expect(
            error("mount/users.so", named: ["mount"], isHidden: false) == .owner(link, OtherUser.id)
        )
        try folder.write("module", to: "next/users.so")
        try setMode(0o777, of: "next")
        #expect(error("next/users.so", named: ["mount"]) != nil)
        try folder.link("mount/out.so", to: "../next/users.so")
        #expect(error("mount/out.so", named: ["mount"]) != nil)
        // No name that leads to it makes it a part of the mount.
        try folder.link("next/in", to: "../mount")
        #expect(error("next/in/users.so", named: ["next/in"]) != nil)
    }

    @Test("takes directories of hidden users on the way, unless neighbours can write or make them")
    func way() throws {
        try folder.write("module", to: "home/mine/users.so")
        try giveAway("home")
        #expect(error("home/mine/users.so") == nil)
        for mode: UInt32 in [0o775, 0o757, 0o777] {
            try setMode(mode, of: "home")
            #expect(error("home/mine/users.so") != nil)
        }
        // Root's folder for temporary files, and one that a neighbour has made in it.
        try setMode(0o1777, of: "home")
        #expect(error("home/mine/users.so") == nil)
        try giveAway("home/mine")
        let hidden = Path.join(root, "home/mine")
        #expect(error("home/mine/users.so") == .hidden(TrustPlace(hidden, .way), folder: hidden))
        #expect(error("home/mine/users.so", named: ["home/mine"]) == nil)
    }

    @Test("refuses files and links of hidden users, and names the folder")
    func files() throws {
        try folder.write("module", to: "a/users.so")
        try folder.link("a/link.so", to: "users.so")
        try giveAway("a/link.so")
        let path = Path.join(root, "a")
        #expect(
            error("a/link.so")
                == .hidden(TrustPlace(Path.join(path, "link.so"), .way), folder: path))
        try giveAway("a/users.so")
        let refused = try #require(error("a/users.so"))
        #expect(refused == .hidden(TrustPlace(Path.join(path, "users.so"), .module), folder: path))
        #expect(
            refused.diagnostic.message.hasSuffix(
                "expected a file whose owner has a number in this user namespace, found one without"
            ))
        #expect(refused.diagnostic.fix?.contains("set 'EAVES_TRUST=\(path)'") == true)
        #expect(error("a/link.so", named: ["a"]) == nil)
    }
}
