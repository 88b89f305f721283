// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite(
    "an older version of a signed module", .onOwnThreads,
    .enabled(if: SigningFixture.isPossible, "needs OpenSSH's 'ssh-keygen'"))
struct OlderVersionTests {
    private let fixture: SigningFixture
    private var workspace: Workspace { fixture.workspace }

    init() throws {
        fixture = try SigningFixture()
    }

    /// Puts the module into place, with a version and a valid signature.
    private func put(_ version: String) throws {
        var bytes = try Data(contentsOf: CFixtures.module("Numbered"))
        let written = Data(#""version":"1.0.0""#.utf8)
        while version != "1.0.0", let range = bytes.range(of: written) {
            bytes.replaceSubrange(range, with: Data(#""version":"\#(version)""#.utf8))
        }
        try workspace.drop(bytes, as: "numbered.so")
        // A file that is named by its path raises nothing in the manifest.
        try fixture.sign("Plugins/numbered.so")
    }

    private func expectWell(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let outcome = try workspace.eaves("launch", "feature-0000")
        #expect(outcome.output == "this is 0000\n", "\(outcome)", sourceLocation: sourceLocation)
        #expect(outcome.errors == "", sourceLocation: sourceLocation)
    }

    private static let refusal = """
        error: numbered-0000: expected version 2.0.0 or newer, which was loaded before, found 1.0.0 \
        (Plugins/numbered.so)
        fix: put the newer version back; to go back on purpose, pin the older one: \
        'eaves pin numbered-0000'
        """

    @Test("is refused, until it is pinned on purpose")
    func remembered() throws {
        try put("1.0.0")
        try expectWell()
        try put("2.0.0")
        try expectWell()
        #expect(
            try workspace.folder.read(".eaves/accepted.json").contains(#""numbered-0000": "2.0.0""#)
        )
        try put("1.0.0")
        try workspace.eaves("launch", "feature-0000").expectFailure(77, Self.refusal)
        let inspected = try workspace.eaves("inspect", "numbered-0000")
        inspected.expectFailure(77, Self.refusal, output: inspected.output)
        #expect(inspected.lines.contains("state:     untrusted"))
        try workspace.runFix(of: Self.refusal)
        try expectWell()
        // Going back once does not allow it for ever.
        #expect(try workspace.eaves("pin", "--remove", "numbered-0000").code == 0)
        try workspace.eaves("launch", "feature-0000").expectFailure(77, Self.refusal)
        try put("2.0.0")
        try expectWell()
    }

    @Test("is refused by the manifest, which 'eaves sign' changes, also without the store")
    func demanded() throws {
        try put("2.0.0")
        let signed = try workspace.eaves("sign", "--key", fixture.key, "numbered-0000")
        #expect(
            signed.errors.hasSuffix("numbered-0000: the manifest asks for 2.0.0 or newer now\n"))
        #expect(
            try workspace.folder.read("manifest.json").contains(#""leastVersion": "2.0.0""#))
        try expectWell()
        try FileManager.default.removeItem(atPath: workspace.path(".eaves"))
        try put("1.0.0")
        try workspace.eaves("launch", "feature-0000").expectFailure(
            77,
            """
            error: numbered-0000: expected version 2.0.0 or newer, as the manifest asks, found 1.0.0 \
            (Plugins/numbered.so)
            fix: put the newer version back, or correct 'leastVersion' in the manifest if the older \
            one is meant
            """)
        // Signing an older one does not lower it; pinning it does, and says so.
        #expect(
            try workspace.eaves("sign", "--key", fixture.key, "numbered-0000").errors
                == "signed numbered-0000: Plugins/numbered.so.sig\n")
        let pinned = try workspace.eaves("pin", "numbered-0000")
        #expect(pinned.errors.hasSuffix(", version 1.0.0, which is older than 2.0.0\n"))
        try expectWell()
        // Where signatures are required, the least version outlives the pin.
        #expect(try workspace.eaves("pin", "--remove", "numbered-0000").code == 0)
        #expect(
            try workspace.folder.read("manifest.json").contains(#""leastVersion": "1.0.0""#))
    }

    @Test("is let in if the newer one was only refused")
    func refusedNewer() throws {
        let before = try workspace.folder.read("manifest.json")
        try put("1.0.0")
        try expectWell()
        try put("2.0.0")
        try workspace.manifest(
            #"""
            {"manifest": 1, "signatures": "required",
             "modules": {"numbered-0000": {"leastVersion": "3"}}}
            """#)
        #expect(try workspace.eaves("launch", "feature-0000").code == 77)
        try workspace.manifest(before)
        try put("1.0.0")
        try expectWell()
    }
}
