// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("Modules built against an earlier common interface", .onOwnThreads, .patiently)
struct OlderCommonTests {
    private static let answers = """
        1 Ada
        2 Bea
        2 Bea
        no Cid
        7 quick Cid
        handled asked
        refused demanded

        """

    /// A workspace with today's common interface, and no other module.
    private func workspace() throws -> Workspace {
        let workspace = try Workspace(modules: [])
        try workspace.manifest(#"{ "manifest": 1 }"#)
        return workspace
    }

    @Test("run unchanged with today's", arguments: OlderCommon.versions)
    func runs(version: InterfaceVersion) throws {
        let workspace = try workspace()
        let older = try OlderCommon(version)
        for id in ["keeps-people", "tells-people"] { try older.drop(id, into: workspace.plugins) }
        for id in ["keeps-people", "tells-people"] {
            let inspected = try workspace.eaves("inspect", id)
            #expect(inspected.output.contains(", common \(version)\n"), "\(inspected)")
        }
        let launched = try workspace.eaves("launch", "tell")
        #expect(launched.output == Self.answers, "\(launched)")
        #expect(launched.code == 0)
        let validated = try workspace.eaves("validate")
        #expect(validated.code == 0, "\(validated)")
    }

    @Test("run with modules that are built against today's", arguments: OlderCommon.versions)
    func mixed(version: InterfaceVersion) throws {
        let older = try OlderCommon(version)
        for (old, new) in [
            ("keeps-people", "TellsPeople"), ("tells-people", "KeepsPeople"),
        ] {
            let workspace = try workspace()
            try older.drop(old, into: workspace.plugins)
            try FileManager.default.copyItem(
                at: older.sources.appendingPathComponent(new),
                to: workspace.url.appendingPathComponent(new))
            let built = try workspace.eaves("build", "./\(new)", "-o", "Plugins/")
            #expect(built.code == 0, "\(built)")
            let launched = try workspace.eaves("launch", "tell")
            #expect(launched.output == Self.answers, "\(old): \(launched)")
        }
    }

    @Test("are there for each earlier minor version")
    func areThere() throws {
        let version = try OlderCommon.current
        let kept = OlderCommon.versions
        #expect(!kept.isEmpty)
        for minor in 0..<version.minor {
            let earlier = InterfaceVersion(major: version.major, minor: minor)
            #expect(
                kept.contains(earlier),
                """
                there is no \(OlderCommon.folder(earlier)): copy an earlier one, and exchange its \
                folder Common for the one of the release
                """)
        }
    }
}
