// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesTestSupport
import Testing

@testable import EavesManifest

@Suite("Undoing several changes of a manifest")
struct ManifestStepsTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("manifest.json") }

    private static let text = #"""
        {"manifest": 1, "modules": {"far": {"enabled": true}},
         "bindings": {"Users": "home", "Tides": "far"}}
        """#

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Self.text)
    }

    private func swap(_ service: String, _ module: String) throws {
        try ManifestEditor.edit(path) { _ = try $0.swap(service, to: module) }
    }

    private func undo(_ steps: Int) throws -> [ManifestEdit] {
        try ManifestEditor.edit(path) { try $0.undoLast(steps) }
    }

    @Test("goes back any number of steps at once, the newest first")
    func steps() throws {
        try swap("Users", "work")
        try ManifestEditor.edit(path) { try $0.remove("far") }
        try swap("Users", "away")
        let undone = try undo(2)
        #expect(undone.map(\.wasUndone) == [false, false])
        #expect(undone.first?.untimed == .swap("Users", from: "work", to: "away"))
        let manifest = try Manifest.load(path)
        #expect(manifest.binding(of: "Users") == "work")
        #expect(manifest.binding(of: "Tides") == "far")
        #expect(try manifest.pastEdits().count == 1)
        #expect(try undo(1).count == 1)
        #expect(try Manifest.load(path).binding(of: "Users") == "home")
    }

    @Test("lists the changes of this manifest, the newest first, with their times")
    func listing() throws {
        try swap("Users", "work")
        try swap("Tides", "near")
        let past = try Manifest.load(path).pastEdits()
        #expect(
            past.map(\.untimed) == [
                .swap("Tides", from: "far", to: "near"),
                .swap("Users", from: "home", to: "work"),
            ])
        #expect(past.allSatisfy { ($0.time ?? 0) > 1_700_000_000 })
    }

    @Test("reads changes that an earlier version has kept without a time")
    func earlier() throws {
        let history = #"""
            {"schema": 2, "changes": [{"manifest": "manifest.json", "service": "Users", "from": "work",
            "weights": null, "to": "home"}]}
            """#
        try folder.write(Array(history.utf8), to: ".eaves/history.json")
        try swap("Tides", "near")
        let past = try Manifest.load(path).pastEdits()
        #expect(past.map { $0.time == nil } == [false, true])
        _ = try undo(2)
        #expect(try Manifest.load(path).binding(of: "Users") == "work")
    }

    @Test("changes nothing if one of the changes cannot be undone, and says which one and why")
    func contradiction() throws {
        try swap("Users", "work")
        try swap("Tides", "near")
        try ManifestEditor.edit(path) { try $0.bind("Users", to: "elsewhere") }
        let before = try folder.read()
        let error = #expect(throws: HistoryError.self) { _ = try undo(2) }
        #expect(
            error?.diagnostics.first?.message
                == "change 2 of 2 cannot be undone, so none was: Users: "
                + "expected it bound to 'work', as the last swap left it, found 'elsewhere'")
        #expect(try folder.read() == before)
        #expect(try Manifest.load(path).pastEdits().count == 2)
    }

    @Test("changes nothing if there are fewer changes")
    func tooFew() throws {
        try swap("Users", "work")
        let before = try folder.read()
        let error = #expect(throws: HistoryError.tooFew(asked: 3, found: 1)) { _ = try undo(3) }
        #expect(
            error?.diagnostics.first?.message
                == "there is 1 change to undo, and 3 were asked for; nothing was undone")
        #expect(try folder.read() == before)
    }
}
