// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesTrust

@Suite("The files that a trust check looks at")
struct TrustCheckTests {
    private let folder: TemporaryFolder
    private let root: String
    private let check = TrustCheck.own

    init() throws {
        folder = try TemporaryFolder()
        root = try #require(Files.resolved(folder.path))
    }

    private func path(_ name: String) -> String { Path.join(root, name) }

    @Test(
        "a link that leads to a file outside of all directories, however much like one it is named")
    func escape() throws {
        for name in ["Plugins/in.so", "Plugins/deep/in.so", "More/in.so", "Plugins-old/out.so"] {
            try folder.write("module", to: name)
        }
        try folder.write("module", to: "out.so")
        let directories = [path("Plugins"), path("More")]
        func error(linkTo target: String) throws -> TrustError? {
            let link = path("Plugins/link.so")
            try Files.remove(link)
            try folder.link("Plugins/link.so", to: target)
            return TrustCheck.error(ofLink: link, leadingOutOf: directories)
        }
        for target in ["in.so", "deep/in.so", "../More/in.so", path("More/in.so")] {
            #expect(try error(linkTo: target) == nil, "\(target)")
        }
        for target in ["../out.so", "../Plugins-old/out.so", path("out.so"), ".."] {
            let real = try #require(Files.resolved(Path.join(path("Plugins"), target)))
            #expect(
                try error(linkTo: target)
                    == .escapes(link: path("Plugins/link.so"), target: real), "\(target)")
        }
        #expect(try error(linkTo: "nowhere") == nil)
    }
}

@Suite("The rule about owners and permissions")
struct TrustRuleTests {
    /// The number of no user and of no group.
    private static let stranger: UInt32 = 54321
    private static let place = TrustPlace("/place", .module)

    private func error(mode: UInt32, owner: UInt32, group: UInt32) -> TrustError? {
        let status = FileStatus(
            kind: .file, device: 1, inode: 1, size: 1, modified: 1, changed: 1, owner: owner,
            group: group, mode: mode)
        return TrustCheck.own.error(of: status, at: Self.place, seenAs: "/")
    }

    @Test("root and the user may own a file, and nobody else")
    func owners() {
        for owner in [0, Accounts.current] {
            #expect(error(mode: 0o644, owner: owner, group: 0) == nil)
        }
        #expect(
            error(mode: 0o644, owner: Self.stranger, group: 0) == .owner(Self.place, Self.stranger))
    }

    @Test(
        "its owner may write a file, and nobody else",
        arguments: [
            (0o644, true), (0o600, true), (0o755, true), (0o4755, true), (0o1644, true),
            (0o444, true), (0o664, false), (0o620, false), (0o646, false), (0o602, false),
            (0o666, false), (0o1777, false),
        ] as [(UInt32, Bool)])
    func modes(mode: UInt32, isTrusted: Bool) {
        let expected: TrustError? =
            isTrusted ? nil : .writable(Self.place, mode: mode, group: Self.stranger)
        #expect(error(mode: mode, owner: Accounts.current, group: Self.stranger) == expected)
    }

    @Test("a private group of the owner may write as well")
    func privateGroup() {
        let isPrivate = Accounts.isPrivate(group: 0, of: 0)
        #expect((error(mode: 0o664, owner: 0, group: 0) == nil) == isPrivate)
        // Everybody else is not in that group.
        #expect(error(mode: 0o666, owner: 0, group: 0) != nil)
        #expect(error(mode: 0o646, owner: 0, group: 0) != nil)
    }

    @Test("a wrong owner counts before wrong permissions")
    func order() {
        #expect(
            error(mode: 0o666, owner: Self.stranger, group: 0) == .owner(Self.place, Self.stranger))
    }
}
