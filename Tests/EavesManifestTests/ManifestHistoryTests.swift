// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Glibc
import Synchronization
import Testing

@testable import EavesManifest

@Suite("Undoing changes of a manifest")
struct ManifestHistoryTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("manifest.json") }

    private static let text = """
        {
          "manifest": 1,
          "modules": {
            "far": {
              "library": "vendor/far.so",
              "settings": { "unit": "c", "limits": [1.50, 12345678901234567890, 1e30] }
            }
          },
          "bindings": { "Users": "home", "Weather": "far", "Tides": "far" }
        }

        """

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Self.text)
    }

    @discardableResult
    private func undo() throws -> ManifestEdit {
        try ManifestEditor.edit(path) { try $0.undoLast(1)[0] }
    }

    @Test("puts back a removed module with its settings, byte for byte, and the bindings to it")
    func removal() throws {
        let removal = try ManifestEditor.edit(path) { try $0.remove("far") }
        #expect(removal?.services == ["Weather", "Tides"])
        #expect(try !folder.read().contains("settings"))
        #expect(try undo() == removal)
        #expect(try folder.read() == Self.text)
        #expect(throws: HistoryError.nothingToUndo) { try undo() }
    }

    @Test("keeps the history from others: settings may be secret")
    func mode() throws {
        try ManifestEditor.edit(path) { try $0.remove("far") }
        #expect(try FileStatus(path: folder.file(".eaves/history.json")).mode & 0o077 == 0)
    }

    @Test("undoes swaps that an earlier version of eaves has kept, with newer changes")
    func earlierVersion() throws {
        let history = """
            { "schema": 1, "swaps": [
              { "service": "Users", "from": "work", "to": "home" },
              { "service": "Tides", "from": null, "to": "far" }
            ] }
            """
        try folder.write(Array(history.utf8), to: ".eaves/history.json")
        try ManifestEditor.edit(path) { _ = try $0.swap("Users", to: "away") }
        for _ in 0..<3 { try undo() }
        let manifest = try Manifest.load(path)
        #expect(manifest.binding(of: "Users") == "work")
        #expect(manifest.binding(of: "Tides") == nil)
        #expect(throws: HistoryError.nothingToUndo) { try undo() }
    }

    @Test("undoes swaps and removals from the last on")
    func mixed() throws {
        try ManifestEditor.edit(path) { _ = try $0.swap("Users", to: "far") }
        try ManifestEditor.edit(path) { try $0.remove("far") }
        try ManifestEditor.edit(path) { _ = try $0.swap("Users", to: "new") }
        try undo()
        #expect(try Manifest.load(path).binding(of: "Users") == nil)
        try undo()
        let manifest = try Manifest.load(path)
        #expect(manifest.bindings.filter { $0.modules == ["far"] }.count == 3)
        #expect(manifest.entry("far")?.settings.isEmpty == false)
        try undo()
        #expect(try Manifest.load(path).binding(of: "Users") == "home")
    }

    @Test("refuses if the module has an entry again, or a service is bound again")
    func changedSince() throws {
        try ManifestEditor.edit(path) { try $0.remove("far") }
        try ManifestEditor.edit(path) { try $0.add("far", library: "other.so") }
        let first = problems { try undo() }
        #expect(
            first.map(\.message) == [
                "modules.far: expected no entry, as 'eaves remove far' left it, found one"
            ])
        #expect(first.first?.fix?.contains("history.json") == true)
        try folder.write(#"{"manifest": 1, "bindings": {"Tides": "home"}}"#)
        #expect(
            problems { try undo() } == [
                Diagnostic(
                    "bindings.Tides: expected no binding, as 'eaves remove far' left it, "
                        + "found 'home'",
                    fix: "remove the binding from the manifest, and run 'eaves rollback' again",
                    code: .configuration)
            ])
    }

    @Test("only forgets a change that somebody has undone by hand")
    func undoneByHand() throws {
        let swap = try ManifestEditor.edit(path) { try $0.swap("Users", to: "far") }
        try folder.write(Self.text)
        let removal = try ManifestEditor.edit(path) { try $0.remove("far") }
        try folder.write(Self.text)
        #expect(try undo() == removal?.undone)
        #expect(try undo() == swap?.undone)
        #expect(try folder.read() == Self.text)
        #expect(throws: HistoryError.nothingToUndo) { try undo() }
    }

    @Test("does not have a change whose process was killed before the manifest had it")
    func killedBeforeSave() throws {
        let swap = try #require(
            try ManifestEditor.edit(path) { try $0.swap("Users", to: "far") })
        let lost = ManifestEdit.swap("Users", from: "far", to: "home")
        let history = try Manifest.load(path).history
        try history.willAppend(lost, to: try Files.read(path))
        #expect(try Manifest.load(path).pastEdits() == [swap])
        // The next change takes its place.
        let next = try #require(
            try ManifestEditor.edit(path) { try $0.swap("Users", to: "work") })
        #expect(try Manifest.load(path).pastEdits() == [next, swap])
        #expect(try !folder.read(".eaves/history.json").contains("appendsTo"))
    }

    @Test("has a change whose process was killed when the manifest had it")
    func killedAfterSave() throws {
        let before = try Files.read(path)
        try ManifestEditor.edit(path) { _ = try $0.swap("Users", to: "far") }
        try ManifestEditor.edit(path) { try $0.undoLast(1)[0] }
        let swap = ManifestEdit.swap("Users", from: "home", to: "far")
        try Manifest.load(path).history.willAppend(swap, to: before)
        let manifest = String(decoding: before, as: UTF8.self)
        try folder.write(manifest.replacing(#""Users": "home""#, with: #""Users": "far""#))
        #expect(try Manifest.load(path).pastEdits() == [swap])
        #expect(try undo() == swap)
        #expect(try folder.read() == Self.text)
    }

    @Test("has an undone change as long as the manifest has it, and not longer")
    func killedWhileUndoing() throws {
        try ManifestEditor.edit(path) { _ = try $0.swap("Users", to: "far") }
        let history = try Manifest.load(path).history
        try history.willRemoveLast(1, from: try Files.read(path))
        #expect(try Manifest.load(path).pastEdits().count == 1)
        try folder.write(Self.text)
        #expect(try Manifest.load(path).pastEdits().isEmpty)
        #expect(throws: HistoryError.nothingToUndo) { try undo() }
    }

    @Test("leaves nothing in the history if the manifest cannot be written")
    func failedSave() throws {
        #expect(throws: ManifestError.self) {
            try ManifestEditor.edit(path) { editor throws in
                _ = try editor.remove("far")
                // An editor that takes no lock writes at this moment.
                try folder.write(#"{"manifest": 1}"#)
            }
        }
        #expect(try folder.read() == #"{"manifest": 1}"#)
        #expect(throws: HistoryError.nothingToUndo) { try undo() }
    }

    @Test("changes nothing if the history cannot be written")
    func unwritableHistory() throws {
        try folder.write("a file in the place of the store", to: ".eaves")
        let found = problems { try ManifestEditor.edit(path) { _ = try $0.remove("far") } }
        #expect(found.count == 1)
        #expect(try folder.read() == Self.text)
    }

    @Test("does not mix up two manifests of one folder")
    func twoManifests() throws {
        let other = try folder.write(Self.text, to: "other.json")
        try ManifestEditor.edit(path) { _ = try $0.swap("Users", to: "far") }
        try ManifestEditor.edit(other) { try $0.remove("far") }
        try undo()
        #expect(try folder.read() == Self.text)
        #expect(throws: HistoryError.nothingToUndo) { try undo() }
        try ManifestEditor.edit(other) { _ = try $0.undoLast(1)[0] }
        #expect(try folder.read("other.json") == Self.text)
    }

    @Test("leaves open what became of another manifest of the folder whose process was killed")
    func killedNextDoor() throws {
        let other = try folder.write(Self.text, to: "other.json")
        let lost = ManifestEdit.swap("Users", from: "home", to: "far")
        try Manifest.load(other).history.willAppend(lost, to: try Files.read(other))
        try ManifestEditor.edit(path) { _ = try $0.swap("Users", to: "far") }
        #expect(try Manifest.load(other).pastEdits().isEmpty)
        // Only the text of that manifest can tell.
        try folder.write(
            Self.text.replacing(#""Users": "home""#, with: #""Users": "far""#), to: "other.json")
        #expect(try Manifest.load(other).pastEdits() == [lost])
    }

    @Test("keeps the last hundred changes, and gives them back from the last on")
    func limit() throws {
        let history = try Manifest.load(path).history
        #expect(try history.edits { nil }.isEmpty)
        let edits = (0...100).map {
            ManifestEdit.swap("S", from: $0 == 7 ? nil : "\($0)", to: "m\($0)")
        }
        for edit in edits {
            try history.willAppend(edit, to: [])
            try history.settle(at: [1])
        }
        for edit in edits.dropFirst().reversed() {
            #expect(try history.edits { nil }.first == edit)
            try history.removeLast(1)
        }
        #expect(try history.edits { nil }.isEmpty)
    }
}

extension ManifestEdit {
    /// A swap of a service that one module had.
    static func swap(_ service: String, from: String?, to: String) -> ManifestEdit {
        let part = Part(
            ["bindings", service], from: from.map { "\"\($0)\"" }, to: "\"\(to)\"")
        return ManifestEdit(.swap, to, [part])
    }

    /// The edit as it is after an undo that found it undone.
    fileprivate var undone: ManifestEdit {
        var edit = self
        edit.wasUndone = true
        return edit
    }

    /// The edit without its time.
    var untimed: ManifestEdit { ManifestEdit(kind, module, parts, because: reason) }
}

@Suite("Editing a manifest at the same time")
struct ManifestLockTests {
    @Test(
        "loses no edit, and each edit sees those before it", arguments: ["manifest.json", "link"])
    func parallel(name: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(#"{"manifest":1}"#)
        try folder.link("link", to: path)
        let file = folder.file(name)
        let failures = Mutex<[any Error]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<10 {
                do {
                    try ManifestEditor.edit(file, patience: Patience.limit) {
                        try $0.setEnabled("m\(thread)-\(round)", false)
                    }
                } catch {
                    failures.withLock { $0.append(error) }
                }
            }
        }
        #expect(failures.withLock { $0.map { "\($0)" } } == [])
        #expect(try Manifest.load(path).modules.count == 40)
        withExtendedLifetime(folder) {}
    }

    @Test(
        "is not hindered by another user who locks all that others can open",
        .enabled(if: geteuid() == 0, "needs root"))
    func others() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(#"{"manifest":1}"#)
        try Files.setMode(0o755, of: folder.path)
        try ManifestEditor.edit(path) { try $0.bind("A", to: "a") }
        let (locked, _) = try OtherUser.locking(below: folder.path) {
            // As long as the other user locks, a lock that hinders would never be free.
            try ManifestEditor.edit(path, patience: Patience.limit) { try $0.bind("A", to: "b") }
        }
        #expect(locked >= 2)
        #expect(try folder.read() == #"{"manifest":1,"bindings":{"A":"b"}}"#)
    }

    @Test("that takes too long is given up, says who edits, and changes nothing")
    func held() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(#"{"manifest":1}"#)
        try Files.createFolder(folder.file(".eaves/edits"), mode: 0o700)
        let found = try FileLock(OpenFolder(folder.file(".eaves/edits"))).hold { () throws in
            problems {
                try ManifestEditor.edit(path, patience: .zero) { try $0.bind("A", to: "a") }
            }
        }
        #expect(found.map(\.code) == [.inputOutput])
        let message = try #require(found.first?.message)
        #expect(message.contains("cannot edit the manifest: process \(getpid()) ("))
        #expect(
            message.hasSuffix(
                "has locked '\(folder.path)' for longer than 0 seconds; nothing was changed"))
        #expect(found.first?.fix?.hasPrefix("wait until process \(getpid()) has ended") == true)
        #expect(try folder.read() == #"{"manifest":1}"#)
        // A child that another test starts at this instant has the lock until it runs its program.
        try ManifestEditor.edit(path, patience: Patience.limit) { try $0.bind("A", to: "a") }
        #expect(try folder.read() == #"{"manifest":1,"bindings":{"A":"a"}}"#)
    }

    @Test("of a manifest that is missing or damaged says so")
    func missing() throws {
        let folder = try TemporaryFolder()
        let gone = folder.file("nowhere/manifest.json")
        #expect(problems { try ManifestEditor.edit(gone) { _ in } }.map(\.code) == [.notFound])
        let damaged = try folder.write("{")
        #expect(problems { try ManifestEditor.edit(damaged) { _ in } }.map(\.code) == [.badData])
        #expect(try folder.read() == "{")
    }
}
