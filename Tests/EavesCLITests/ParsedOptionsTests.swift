// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import Testing

@testable import EavesCLI

@Suite("ParsedOptions")
struct ParsedOptionsTests {
    private let only = OptionSpec("only", value: "ID", help: "")

    @Test("knows which options were given, and takes the last value of one")
    func values() {
        let options = ParsedOptions(values: ["only": ["a", "b"], "json": [""]])
        #expect(options.has(.json))
        #expect(!options.has(.verbose))
        #expect(options.value(only) == "b")
        #expect(options.allValues(only) == ["a", "b"])
        #expect(options.value(.verbose) == nil)
        #expect(options.allValues(.verbose) == [])
    }

    @Test("finds the nearest manifest in a folder or above it")
    func search() throws {
        let workspace = try Workspace(manifest: #"{"manifest": 1, "launch": "outer"}"#)
        try workspace.write("a/b/manifest.json", #"{"manifest": 1, "launch": "inner"}"#)
        // A folder of that name is no manifest.
        try workspace.write("a/b/c/manifest.json/file", "")
        let options = ParsedOptions()
        #expect(try options.manifest(from: workspace.path).launch == "outer")
        #expect(try options.manifest(from: workspace("a")).launch == "outer")
        #expect(try options.manifest(from: workspace("a/b")).launch == "inner")
        #expect(try options.manifest(from: workspace("a/b/c")).launch == "inner")
    }

    @Test("says where it searched in vain")
    func none() {
        #expect(throws: CommandError.noManifest(folder: "/")) {
            try ParsedOptions().manifest(from: "/")
        }
    }

    @Test("takes the manifest that is named, relative to the folder")
    func named() throws {
        let workspace = try Workspace(manifest: #"{"manifest": 1, "launch": "outer"}"#)
        try workspace.write("a/other.json", #"{"manifest": 1, "launch": "other"}"#)
        for path in ["other.json", workspace("a/other.json")] {
            let options = ParsedOptions(values: ["manifest": ["nowhere.json", path]])
            #expect(try options.manifest(from: workspace("a")).launch == "other")
        }
        let missing = ParsedOptions(values: ["manifest": ["missing.json"]])
        #expect(throws: ManifestError.self) { try missing.manifest(from: workspace.path) }
    }
}
