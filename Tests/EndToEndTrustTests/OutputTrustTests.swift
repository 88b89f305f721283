// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

/// The victim is `nobody`, who owns the folder `docs`, and writes into `shared`, as everybody can. The attacker is the
/// user of another number, who owns what is in `shared`.
@Suite(
    "overwrites and removes nothing that another user leads it to", .onOwnThreads,
    .enabled(if: geteuid() == 0 && Unprivileged.isPossible, "needs root and 'setpriv'"))
struct OutputTrustTests {
    private static let attacker: uid_t = 54321
    private static let victim: uid_t = 65534

    private let workspace: Workspace

    init() throws {
        workspace = try Workspace(sources: true)
        let folder = workspace.folder
        try folder.write("ten years of work", to: "docs/thesis")
        try folder.write("", to: "home/.keep")
        try folder.write("", to: "shared/.keep")
        try workspace.setMode(0o1777, of: "shared")
        for name in ["docs", "docs/thesis", "home"] {
            try workspace.setOwner(Self.victim, group: gid_t(Self.victim), of: name)
        }
    }

    /// Runs the command as the victim.
    private func eaves(_ words: String) throws -> Eaves.Outcome {
        try Eaves.shell(
            "HOME=\"$PWD/home\" setpriv --reuid=65534 --regid=65534 --clear-groups "
                + "\"$(command -v eaves)\" \(words)", in: workspace.url)
    }

    /// Makes a folder of the attacker's that all can write.
    private func plant(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: workspace.path(name), withIntermediateDirectories: false)
        try workspace.setMode(0o1777, of: name)
        try workspace.setOwner(Self.attacker, of: name)
    }

    /// Makes a link of the attacker's.
    private func plant(_ name: String, to target: String) throws {
        try workspace.link(name, to: workspace.path(target))
        try workspace.setOwner(Self.attacker, of: name)
    }

    private func expectUnharmed(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: workspace.path("docs"))
        #expect(names == ["thesis"], sourceLocation: sourceLocation)
        let text = try workspace.folder.read("docs/thesis")
        #expect(text == "ten years of work", sourceLocation: sourceLocation)
    }

    @Test("by what looks like the leftover of a killed process")
    func leftovers() throws {
        for name in ["shared/.a.dot.eaves-a", "shared/.eaves-build.a"] {
            try plant(name)
            try plant(name + "/docs", to: "docs")
        }
        let drawn = try eaves("graph -o shared/a.dot")
        #expect(drawn.code == 0 && workspace.folder.has("shared/a.dot"), "\(drawn)")
        try expectUnharmed()
        let built = try eaves("build ./Plugins/Common -o shared/")
        #expect(built.code == 0 && workspace.folder.has("shared/common.so"), "\(built)")
        try expectUnharmed()
        #expect(workspace.folder.has("shared/.eaves-build.a"))
    }

    @Test("by a link of the name of what a command writes, or of a folder on the way")
    func others() throws {
        try workspace.folder.write(
            #"{"manifest": 1, "directories": ["../shared/Plugins"]}"#, to: "home/manifest.json")
        try workspace.setOwner(Self.victim, group: gid_t(Self.victim), of: "home/manifest.json")
        for (link, target, command) in [
            (".gitignore", "docs/thesis", "init shared"),
            ("manifest.json", "docs/manifest.json", "init shared"),
            ("Plugins", "docs", "init shared"), ("project", "docs", "init shared/project"),
            ("Plugins", "docs", "new feature hello --manifest home/manifest.json"),
            ("man", "docs", "man shared/man"), ("man", "docs", "man shared/man/man1"),
            ("eaves.1", "docs/thesis", "man shared"),
            ("thesis", "docs/thesis", "graph -o shared/thesis"),
            ("docs", "docs", "graph -o shared/docs/thesis"),
        ] {
            try plant("shared/\(link)", to: target)
            try eaves(command).expectFailure(
                77,
                """
                error: shared/\(link): expected no link that another user can have put there, found one
                fix: remove it, or name another file
                """)
            try expectUnharmed()
            for name in try FileManager.default.contentsOfDirectory(
                atPath: workspace.path("shared"))
            {
                try FileManager.default.removeItem(atPath: workspace.path("shared/\(name)"))
            }
        }
        let made = try eaves("man home/share/man1")
        #expect(made.code == 0 && workspace.folder.has("home/share/man1/eaves.1"), "\(made)")
    }

    @Test("by a folder of records", arguments: [true, false])
    func records(isLink: Bool) throws {
        let folder = isLink ? "elsewhere" : "shared/.eaves-records"
        try plant(folder)
        if isLink { try plant("shared/.eaves-records", to: "elsewhere") }
        try plant(folder + "/interfaces")
        for name in ["common.so.json", ".gitignore", "interfaces/used"] {
            try plant("\(folder)/\(name)", to: "docs/thesis")
        }
        let outcome = try eaves("build ./Plugins/Common -o shared/")
        #expect(outcome.code == 77, "\(outcome)")
        let found = isLink ? "found a link" : "found that it belongs to 54321"
        #expect(
            outcome.errors.hasPrefix("error: shared/.eaves-records: expected a store that "),
            "\(outcome)")
        #expect(outcome.errors.contains(found), "\(outcome)")
        #expect(!workspace.folder.has("shared/common.so"))
        try expectUnharmed()
    }
}
