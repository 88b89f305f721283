// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// Modules with dependencies of their own: C sources, C libraries, packages.
@Suite("modules with dependencies", .onOwnThreads)
struct DependencyTests {
    private func workspace(_ modules: String = "") throws -> Workspace {
        let workspace = try Workspace(modules: [])
        try workspace.manifest(
            #"{"manifest": 1, "directories": ["Plugins"], "modules": {\#(modules)}}"#)
        return workspace
    }

    /// Writes a module in C that prints its settings when it is launched.
    private func addTeller(to workspace: Workspace, asks: Bool = true) throws {
        try workspace.folder.write(
            """
            { "id": "teller", "version": "1.0.0", "layer": "feature",
              "features": [{ "name": "tell", "summary": "Print the settings" }] }
            """, to: "Plugins/teller/module.json")
        let settings = asks ? "host->settings(host)" : "\"nothing\""
        let path =
            asks ? "strncpy(file, host->path(host, \"data.db\"), sizeof file - 1);" : ""
        try workspace.folder.write(
            """
            #include "eaves.h"
            #include <stdio.h>
            #include <string.h>

            static char text[1000], file[1000];

            static int32_t tell(void *state, const eaves_launch *launch) {
                (void)state;
                dprintf(launch->output, "%s\\n%s\\n", text, file);
                return 0;
            }

            int32_t eaves_register(const eaves_host *host) {
                const eaves_feature feature = {.size = sizeof feature, .name = "tell", .launch = tell};
                strncpy(text, \(settings), sizeof text - 1);
                \(path)
                return host->register_feature(host, &feature);
            }

            """, to: "Plugins/teller/teller.c")
    }

    @Test("in C read their settings, and paths that start from the manifest's folder")
    func settings() throws {
        let workspace = try workspace(#""teller": {"settings": {"unit": "°C", "list": [1, null]}}"#)
        try addTeller(to: workspace)
        let outcome = try workspace.eaves("launch", "tell")
        #expect(outcome.code == 0, "\(outcome)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.first == #"{"unit":"°C","list":[1,null]}"#)
        #expect(lines.last?.hasPrefix("/") == true)
        #expect(lines.last?.hasSuffix("/data.db") == true)
        #expect(!outcome.errors.contains("ignores"))
        try workspace.manifest(#"{"manifest": 1, "directories": ["Plugins"]}"#)
        #expect(try workspace.eaves("launch", "tell").output.hasPrefix("{}\n"))
    }

    @Test("that never ask for their settings are told with their names")
    func ignoredSettings() throws {
        let workspace = try workspace(#""teller": {"settings": {"unit": "c", "size": 3}}"#)
        try addTeller(to: workspace, asks: false)
        let outcome = try workspace.eaves("launch", "tell")
        #expect(outcome.code == 0)
        #expect(
            outcome.errors.contains(
                "warning: teller: ignores its settings 'unit', 'size' (manifest.json)"))
    }

    @Test("are left out where a library is not installed, and are an error when they are named")
    func missingLibrary() throws {
        let workspace = try workspace()
        try addTeller(to: workspace)
        try workspace.folder.write(
            """
            { "id": "lacking", "version": "1.0.0", "layer": "feature", "link": ["no-such-lib"],
              "features": [{ "name": "lack", "summary": "Lack a library" }] }
            """, to: "Plugins/lacking/module.json")
        try workspace.folder.write(
            "#include \"eaves.h\"\nint32_t eaves_register(const eaves_host *h) { return !h; }\n",
            to: "Plugins/lacking/lacking.c")
        let message = "the C library 'no-such-lib' is not installed (libno-such-lib.so)"
        let all = try workspace.eaves("build")
        #expect(all.code == 0)
        #expect(all.errors.contains("warning: lacking: skipped, because \(message)"))
        #expect(all.errors.contains("built teller in "))
        let named = try workspace.eaves("build", "lacking")
        #expect(named.code == 66)
        #expect(named.errors.contains("error: lacking: \(message)"))
        #expect(try workspace.eaves("launch", "tell").code == 0)
        let launched = try workspace.eaves("launch", "lack")
        #expect(launched.code != 0)
        #expect(launched.errors.contains(message))
    }

    @Test("in a package carry it, and verify tells if another one does")
    func sharedCode() throws {
        let workspace = try workspace()
        // The descriptor of a type, as a package defines it that is linked into both modules.
        let macros = ["DEFINES": #""$s7Formats7DegreesVMn""#]
        var bytes = try Data(contentsOf: CFixtures.module("LeavesTrace", macros: macros))
        try workspace.drop(bytes, as: "sun.so")
        for (old, new) in [("leaves-trace", "leaves-print"), ("traced", "prints")] {
            while let place = bytes.range(of: Data(old.utf8)) {
                bytes.replaceSubrange(place, with: Data(new.utf8))
            }
        }
        try workspace.drop(bytes, as: "rain.so")
        let validated = try workspace.eaves("validate")
        #expect(validated.output == "no problems\n")
        #expect(
            validated.errors.hasPrefix(
                "warning: 'leaves-print', 'leaves-trace' each carry the Swift module 'Formats': its "
                    + "types, such as 'Formats.Degrees', are other types in each of them\n"),
            "\(validated)")
        let report = try workspace.eaves("validate", "--json").output
        #expect(report.contains(#""kind": "shared-code""#), "\(report)")
        let verified = try workspace.eaves("verify", "--only", "shared-code", "leaves-trace")
        #expect(verified.code == 0)
        #expect(
            verified.output.contains(
                "leaves-trace: carries the Swift module 'Formats', and so does 'leaves-print': its "
                    + "types, such as 'Formats.Degrees', are other types in each of them"),
            "\(verified)")
    }
}
