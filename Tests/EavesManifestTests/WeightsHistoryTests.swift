// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesTestSupport
import Testing

@testable import EavesManifest

@Suite("Undoing changes of weights")
struct WeightsHistoryTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("manifest.json") }

    private static let text = """
        {
          "manifest": 1,
          "modules": { "far": { "library": "vendor/far.so" } },
          "bindings": {
            "Users": { "home": 90,   "far": 10, "by": "user" },
            "Weather": { "far": 1, "near": 0 },
            "Tides#old": "far"
          }
        }

        """

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Self.text)
    }

    private func undo() throws -> ManifestEdit {
        try ManifestEditor.edit(path) { try $0.undoLast() }
    }

    @Test("brings back the weights that a swap replaced, byte for byte")
    func swap() throws {
        let swap = try ManifestEditor.edit(path) { try $0.swap("Users", to: "far") }
        #expect(swap?.parts[0].bindingBefore?.words == "home 90 %, far 10 %, by user")
        #expect(try Manifest.load(path).binding(BindingKey("Users"))?.target == .module("far"))
        let again = try ManifestEditor.edit(path) { try $0.swap("Users", to: "far") }
        #expect(again == nil)
        #expect(try undo() == swap)
        #expect(try folder.read() == Self.text)
    }

    @Test("swaps a named binding, which has a key of its own")
    func named() throws {
        let swap = try ManifestEditor.edit(path) { try $0.swap("Net.Tides#old", to: "home") }
        #expect(swap?.untimed == .swap("Tides#old", from: "far", to: "home"))
        #expect(try Manifest.load(path).binding(of: "Tides", name: "old") == "home")
        #expect(try undo().wasUndone == false)
        #expect(try folder.read() == Self.text)
    }

    @Test("takes a removed module out of weights, and puts it back")
    func removal() throws {
        let removal = try ManifestEditor.edit(path) { try $0.remove("far") }
        let bindings = try Manifest.load(path).bindings
        #expect(bindings.map(\.words) == ["home 100 %, by user"])
        #expect(removal?.services == ["Users", "Weather", "Tides#old"])
        #expect(
            removal?.parts.dropFirst().map(\.bindingAfter?.words)
                == ["home 100 %, by user", nil, nil])
        #expect(try undo() == removal)
        let after = try Manifest.load(path)
        #expect(
            after.bindings.map(\.words).sorted()
                == ["far", "far 100 %, near 0 %, by chance", "home 90 %, far 10 %, by user"])
    }

    @Test("gives a bad module's calls to the only other one that has a share above 0")
    func retreat() throws {
        try folder.write(
            #"{ "manifest": 1, "bindings": { "Users": { "idle": 0, "bad": 5, "good": 95 } } }"#)
        let retreat = try ManifestEditor.edit(path) {
            try $0.retreat("Users", from: "bad", to: nil, because: "it fails")
        }
        #expect(retreat?.parts.count == 1)
        #expect(try Manifest.load(path).binding(BindingKey("Users"))?.target == .module("good"))
    }

    @Test("undoes a removal that an earlier version has kept in other words")
    func earlierRemoval() throws {
        let history = #"""
            {"schema": 2, "changes": [{"manifest": "manifest.json", "time": 1700000000, "removed": "far",
            "entry": "{ \"library\": \"vendor/far.so\" }", "services": ["Tides#old"], "shares": [
            {"service": "Users", "before": "{ \"home\": 90,   \"far\": 10, \"by\": \"user\" }",
            "after": "{ \"home\": 90,   \"by\": \"user\" }"},
            {"service": "Weather", "before": "{ \"far\": 1, \"near\": 0 }", "after": null}]}]}
            """#
        try folder.write(Array(history.utf8), to: ".eaves/history.json")
        try folder.write(
            #"{ "manifest": 1, "bindings": { "Users": { "home": 90,   "by": "user" } } }"#)
        let removal = try #require(Manifest.load(path).pastEdits().first)
        #expect(removal.kind == .removal && removal.module == "far")
        #expect(removal.services == ["Tides#old", "Users", "Weather"])
        #expect(removal.time == 1_700_000_000)
        #expect(try undo() == removal)
        let after = try Manifest.load(path)
        #expect(after.entry("far")?.library == "vendor/far.so")
        #expect(
            after.bindings.map(\.words).sorted()
                == ["far", "far 100 %, near 0 %, by chance", "home 90 %, far 10 %, by user"])
        #expect(try folder.read(".eaves/history.json").contains(#""schema": 3"#))
    }

    @Test("changes nothing if the weights were changed since")
    func changedSince() throws {
        try ManifestEditor.edit(path) { try $0.remove("far") }
        let text = try folder.read().replacing("90", with: "80")
        try folder.write(text)
        #expect(
            problems { _ = try undo() }.map(\.message) == [
                #"bindings.Users: expected '{ "home": 90,   "by": "user" }', as 'eaves remove far' "#
                    + #"left it, found '{ "home": 80,   "by": "user" }'"#
            ])
        #expect(try folder.read() == text)
    }
}
