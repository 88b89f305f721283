// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EavesSystem

@Suite("A user namespace")
struct UserNamespaceTests {
    @Test(
        "tells users without a number from others, and whether root is one of them",
        arguments: [
            // The whole machine: 65534 is a user like all others.
            ("         0          0 4294967295\n", 65534, 0, false, false),
            // A sandbox of the user 1000: `unshare -U --map-current-user`, Flatpak.
            ("1000 1000 1\n", 65534, 65534, true, true),
            // The same within another namespace: its map names that one, in which the user is 0.
            ("1000 0 1\n", 65534, 65534, true, true),
            // Root's own, which gives root the number 1000: all others have none.
            ("1000 0 1\n", 65534, 1000, true, false),
            // PrivateUsers=yes of systemd: root has a number.
            ("0 0 1\n1000 1000 1\n", 65534, 0, true, false),
            // Rootless podman: a user of the container may have the number as well.
            ("0 1000 1\n1 100000 65536\n", 65534, 65534, false, false),
            // The user of the process has no number either.
            ("", 65534, 65534, true, true),
            // The machine's number for such users is another one.
            ("1000 1000 1\n", 60000, 60000, true, true),
            ("a b c\n1 2\n65534 -1 9\n", 65534, 65534, true, true),
        ] as [(String, UInt32, UInt32, Bool, Bool)])
    func map(text: String, overflow: UInt32, root: UInt32, isHidden: Bool, hidesRoot: Bool) {
        let namespace = UserNamespace(map: text, overflow: overflow, root: root)
        #expect(namespace.hides(overflow) == isHidden)
        #expect(namespace.hidesRoot == hidesRoot)
        for user: UInt32 in [0, 1000, 65534, .max] where user != overflow {
            #expect(!namespace.hides(user))
        }
    }

    @Test("of this process hides neither its own user nor root")
    func current() {
        #expect(!UserNamespace.current.hides(0))
        #expect(!UserNamespace.current.hides(Accounts.current))
    }
}
