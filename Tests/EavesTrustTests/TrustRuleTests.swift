// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesTrust

@Suite("The rule about owners and permissions")
struct TrustRuleTests {
    /// The number of no user and of no group.
    private static let stranger: UInt32 = 54321
    private static let place = TrustPlace("/place", .module)

    private func error(mode: UInt32, owner: UInt32, group: UInt32) -> TrustError? {
        let status = FileStatus(
            kind: .file, device: 1, inode: 1, size: 1, modified: 1, changed: 1, owner: owner,
            group: group, mode: mode)
        return TrustRule.error(of: status, at: Self.place, .own, seenAs: "/")
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
            (.store, 0o777, "a store", "remove it, and eaves creates it again: 'rm -r place'"),
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
                == "place: leads out of the manifest's directories, to /elsewhere/users.so")
        let unresolved = TrustError.unresolved(file, SystemError(.inspect, "/a", .tooManyLinks))
        #expect(message(unresolved).hasPrefix("users: cannot tell who can change it: /a: "))
    }
}
