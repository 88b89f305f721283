// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

/// A project that containers and sandboxes see: other owners, other modes, users without a name.
@Suite("in containers", .onOwnThreads, .enabled(if: Sandbox.isPossible, Sandbox.need))
struct ContainerTests {
    /// Runs lines of a shell in a copy of the workspace that belongs to the user 54321. It is right below `/tmp`: what is
    /// in a folder there that root has made could as well be any other user's.
    private func run(_ lines: String, in workspace: Workspace) throws -> Eaves.Outcome {
        let start = """
            set -e; d=$(mktemp -d -p /tmp); trap 'rm -rf "$d"' EXIT; cp -a . "$d/p"; chmod 755 "$d"
            chown -R 54321:54321 "$d"; cd "$d/p"; as() { \(Sandbox.user) env HOME="$d" "$@"; }
            boxed() { as unshare -U --map-current-user "$@"; }

            """
        return try Eaves.shell(start + lines, in: workspace.url)
    }

    @Test("a user namespace that hides root lets a user's own project run, and nobody else's")
    func sandbox() throws {
        let workspace = try Workspace()
        // The owners that a run notes in one namespace do not count in another one.
        let own = try run(
            """
            launch="eaves launch --no-build users"; boxed $launch; as unshare -Ur $launch; as $launch
            """, in: workspace)
        #expect(own.output == String(repeating: "1 Alice\n2 Bob\n", count: 3), "\(own)")
        let open = try run("chmod 777 Plugins; boxed eaves launch --no-build users", in: workspace)
        #expect(open.code == 77 && open.errors.contains("run 'chmod go-w Plugins'"), "\(open)")
        let shared = try run("chmod 777 ..; boxed eaves launch --no-build users", in: workspace)
        #expect(
            shared.code == 77 && shared.errors.contains("only its owner can write"), "\(shared)")
    }

    @Test("and what leads out of it is no circle: the folder of a hidden user has to be named")
    func hidden() throws {
        let workspace = try Workspace()
        let files = "chown -R 0:0 .; "
        for command in ["list", "trust ."] {
            let refused = try run(files + "boxed eaves \(command)", in: workspace)
            #expect(refused.code == 77, "\(refused)")
            #expect(refused.errors.contains("a number in this user namespace, found one without"))
            #expect(refused.errors.contains("set 'EAVES_TRUST=/tmp/"), "\(refused)")
        }
        let named = try run(
            files + "export EAVES_TRUST=$PWD; boxed eaves launch --no-build users", in: workspace)
        #expect(named.output == "1 Alice\n2 Bob\n", "\(named)")
    }

    @Test("a ConfigMap is taken as it is, and another mount that all can write has to be named")
    func mount() throws {
        let workspace = try Workspace()
        func launch(mode: String, _ line: String) throws -> Eaves.Outcome {
            let lines = """
                exec unshare -m --propagation private sh -ec '
                mkdir ../config; mount -t tmpfs -o mode=\(mode) none ../config; mkdir ../config/..1
                sed "s:Plugins:$PWD/Plugins:" manifest.json > ../config/..1/manifest.json
                ln -s ..1 ../config/..data; ln -s ..data/manifest.json ../config/manifest.json
                mount -o remount,ro ../config; cd ../config; files=$OLDPWD/Plugins
                mount --bind $files $files; chown -R 0:54321 $files; chmod -R g+rwX,g+s $files
                \(line); \(Sandbox.user) eaves launch --no-build users'
                """
            return try run(lines, in: workspace)
        }
        let first = try launch(mode: "1777", "true")
        #expect(first.code == 77 && first.errors.contains("/p/Plugins'; else "), "\(first)")
        let second = try launch(mode: "1777", "export EAVES_TRUST=$files")
        #expect(second.output == "1 Alice\n2 Bob\n", "\(second)")
        let third = try launch(mode: "0777", "export EAVES_TRUST=$files")
        #expect(third.code == 77 && third.errors.contains("/p/Plugins:/tmp/"), "\(third)")
        let named = "export EAVES_TRUST=$files:$PWD"
        let fourth = try launch(mode: "0777", named)
        #expect(fourth.output == "1 Alice\n2 Bob\n", "\(fourth)")
        // A file of another user of that mount is refused all the same.
        let foreign = try launch(mode: "0777", named + "; chown 54322 $files/users.so")
        #expect(foreign.code == 77 && foreign.errors.contains("belongs to 54322"), "\(foreign)")
    }

    @Test("the kubelet may change the group and the modes of a volume between two starts")
    func volume() throws {
        let lines = """
            export EAVES_TRUST=$PWD; as eaves launch --no-build users
            as eaves disable users >/dev/null; chgrp -R 54322 .; chmod -R g+rwX .; chmod g+s .
            before=$(stat -c %i .eaves); as eaves enable users >/dev/null
            as eaves launch --no-build users; [ "$before 700" = "$(stat -c "%i %a" .eaves)" ]
            chmod g+w .eaves
            unset EAVES_TRUST; as eaves list 2>&1 | grep -q "only its owner can write"
            """
        let outcome = try run(lines, in: try Workspace())
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.output == "1 Alice\n2 Bob\n1 Alice\n2 Bob\n")
    }

    @Test("an edit by a random user of root's group does not lock the project out")
    func edit() throws {
        let lines = """
            chown -R 0:0 ..; chmod -R g=u .; mkdir -m 700 .eaves; chown 54321:0 .eaves
            as() { setpriv --reuid 54321 --regid 0 --clear-groups "$@"; }
            as eaves disable users >/dev/null; as eaves enable users >/dev/null
            as eaves launch --no-build users
            stat -c "%u %a" manifest.json
            """
        let outcome = try run(lines, in: try Workspace())
        #expect(outcome.output == "1 Alice\n2 Bob\n54321 644\n", "\(outcome)")
    }

    @Test(
        "a signature that ssh-keygen does not check for a user without an account is not called bad"
    )
    func signature() throws {
        try #require(SigningFixture.isPossible)
        let fixture = try SigningFixture()
        try fixture.sign("users", "users-memory")
        let outcome = try run("as eaves launch --no-build users", in: fixture.workspace)
        outcome.expectFailure(
            77,
            """
            error: common: cannot check or make a signature: 'ssh-keygen' does not run for the user 54321, \
            who has no account on this system (Plugins/common.so)
            fix: add the line 'eaves:x:54321:0::/:/sbin/nologin' to /etc/passwd, with the user's group in \
            place of 0, in the image or when the container starts
            """)
    }
}

private enum Sandbox {
    static let user = "setpriv --reuid 54321 --regid 54321 --clear-groups"
    static let need: Comment = "needs root, 'setpriv' and namespaces of users"

    static let isPossible: Bool = {
        let line = "\(user) unshare -U --map-current-user eaves --version"
        let outcome = try? Eaves.shell(line, in: URL(fileURLWithPath: "/"))
        return geteuid() == 0 && outcome?.code == 0
    }()
}
