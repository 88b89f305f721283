// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesManifest

@Suite("Editing a manifest")
struct ManifestEditorTests {
    private static let digest = String(repeating: "a", count: 64)

    /// Returns the text on disk after edits.
    private func edited(
        _ text: String, _ edit: (inout ManifestEditor) throws -> Void
    ) throws -> String {
        let folder = try TemporaryFolder()
        var editor = try ManifestEditor(folder.write(text))
        try edit(&editor)
        try editor.save()
        #expect(try folder.names() == ["manifest.json"])
        return try folder.read()
    }

    @Test("binds a service and leaves the rest as it was", arguments: ["\n", "\r\n"])
    func bind(lineBreak: String) throws {
        let before = wholeManifest.split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: lineBreak)
        let after = try edited(before) { editor in
            try editor.bind("UserService", to: "users-v2")
            #expect(editor.manifest.binding(of: "UserService") == "users-v2")
        }
        let old = #""UserService": "users-memory""#
        let parts = before.split(separator: old, omittingEmptySubsequences: false)
        #expect(after == parts.joined(separator: #""UserService": "users-v2""#))
    }

    @Test("creates the object of bindings, and removes bindings")
    func firstBinding() throws {
        let bound = try edited("{\n  \"manifest\": 1\n}\n") { editor in
            try editor.bind("A", to: "a")
            try editor.bind("B", to: "b")
        }
        #expect(
            bound == """
                {
                  "manifest": 1,
                  "bindings": {
                    "A": "a",
                    "B": "b"
                  }
                }

                """)
        let unbound = try edited(bound) { editor in
            try editor.unbind("A")
            try editor.unbind("C")
        }
        #expect(
            unbound == """
                {
                  "manifest": 1,
                  "bindings": {
                    "B": "b"
                  }
                }

                """)
    }

    @Test("disables and enables a module")
    func enable() throws {
        let off = try edited(#"{ "manifest": 1 }"#) { editor in
            try editor.setEnabled("users", false)
            #expect(editor.manifest.entry("users")?.isEnabled == false)
        }
        #expect(off == #"{ "manifest": 1, "modules": { "users": { "enabled": false } } }"#)
        let on = try edited(off) { try $0.setEnabled("users", true) }
        #expect(on == #"{ "manifest": 1, "modules": { "users": { "enabled": true } } }"#)
    }

    @Test("adds a module, and replaces its file and digest later")
    func add() throws {
        let added = try edited(#"{"manifest":1}"#) { editor in
            try editor.add("users", library: "v/users.so", sha256: Self.digest)
            try editor.setEnabled("users", false)
        }
        let entry = #""library":"v/users.so","sha256":"\#(Self.digest)","enabled":false"#
        #expect(added == #"{"manifest":1,"modules":{"users":{\#(entry)}}}"#)
        let again = try edited(added) { try $0.add("users", library: "w.so") }
        #expect(again == #"{"manifest":1,"modules":{"users":{"library":"w.so","enabled":false}}}"#)
    }

    @Test("removes the least version with the pin, unless modules have to be signed")
    func versionOfPin() throws {
        let pin = #""modules":{"users":{"sha256":"\#(Self.digest)","leastVersion":"1.2.0"}}"#
        let free = #"{"manifest":1,\#(pin)}"#
        #expect(
            try edited(free) { try $0.pin("users", to: nil) } == #"{"manifest":1,"modules":{}}"#)
        let signed = #"{"manifest":1,"signatures":"required",\#(pin)}"#
        #expect(
            try edited(signed) { try $0.pin("users", to: nil) }
                == #"{"manifest":1,"signatures":"required","modules":{"users":{"leastVersion":"1.2.0"}}}"#
        )
    }

    @Test("pins a module, and removes the pin together with an entry that has no other keys")
    func pin() throws {
        let pinned = try edited(#"{"manifest":1}"#) { try $0.pin("users", to: Self.digest) }
        #expect(pinned == #"{"manifest":1,"modules":{"users":{"sha256":"\#(Self.digest)"}}}"#)
        #expect(
            try edited(pinned) { try $0.pin("users", to: nil) } == #"{"manifest":1,"modules":{}}"#)
        let listed = #"{"manifest":1,"modules":{"users":{"enabled":true}}}"#
        let both = try edited(listed) { try $0.pin("users", to: Self.digest) }
        #expect(both.contains(Self.digest))
        #expect(try edited(both) { try $0.pin("users", to: nil) } == listed)
        #expect(try edited(listed) { try $0.pin("home", to: nil) } == listed)
    }

    @Test("removes a module with the bindings to it")
    func remove() throws {
        let text =
            #"{"manifest": 1, "modules": {"a": {}, "b": {}}, "bindings": {"A": "a", "B": "b"}}"#
        let after = try edited(text) { try $0.remove("a") }
        #expect(after == #"{"manifest": 1, "modules": {"b": {}}, "bindings": {"B": "b"}}"#)
    }

    @Test("does not touch the file when nothing changes")
    func unchanged() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(wholeManifest)
        let before = try FileStatus(path: path)
        var editor = try ManifestEditor(path)
        try editor.bind("UserService", to: "users-memory")
        try editor.unbind("Nobody")
        try editor.setEnabled("users-sqlite", false)
        try editor.setEnabled("unheard-of", true)
        try editor.remove("unheard-of")
        #expect(!editor.isChanged)
        try editor.save()
        #expect(try FileStatus(path: path) == before)
    }

    @Test("refuses a change that would make the manifest invalid, and keeps the ones before")
    func wrongChange() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(#"{ "manifest": 1 }"#)
        var editor = try ManifestEditor(path)
        try editor.bind("A", to: "a")
        let before = editor.bytes
        #expect(
            problems { try editor.bind("B", to: "No Id") }.map(\.message)
                == ["\(path): bindings.B: 'No Id' is not a module id"])
        #expect(
            problems { try editor.add("a", library: "x.so", sha256: "12") }.map(\.message) == [
                "\(path): modules.a.sha256: expected 64 hexadecimal digits, found '12'"
            ])
        #expect(problems { try editor.setEnabled("../a", false) }.map(\.code) == [.badData])
        #expect(editor.bytes == before)
        try editor.save()
        #expect(try folder.read() == #"{ "manifest": 1, "bindings": { "A": "a" } }"#)
    }

    @Test("refuses to edit an invalid manifest")
    func broken() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("{")
        #expect(throws: ManifestError.self) { try ManifestEditor(path) }
        #expect(try folder.read() == "{")
    }

    @Test("a save that fails leaves the old text, and no other file")
    func failingSave() throws {
        let folder = try TemporaryFolder()
        // The temporary name for this one is longer than file systems allow.
        let name = String(repeating: "m", count: 250)
        var editor = try ManifestEditor(folder.write(#"{"manifest":1}"#, to: "short"))
        try editor.bind("A", to: "a")
        try Files.rename(folder.file("short"), to: folder.file(name))
        try folder.link("short", to: folder.file(name))
        #expect(problems { try editor.save() }.map(\.code) == [.cannotCreate])
        #expect(try folder.read(name) == #"{"manifest":1}"#)
        #expect(try folder.names() == [name, "short"])
        #expect(editor.isChanged)
    }

    @Test("does not overwrite a file that has changed meanwhile")
    func changedMeanwhile() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(#"{"manifest":1}"#)
        var editor = try ManifestEditor(path)
        try editor.bind("A", to: "a")
        try folder.write(#"{"manifest":1,"launch":"x"}"#)
        let found = problems { try editor.save() }
        #expect(found.map(\.code) == [.inputOutput])
        #expect(found.map(\.fix) == ["run the command again"])
        #expect(try folder.read() == #"{"manifest":1,"launch":"x"}"#)
    }

    @Test("writes through a symbolic link and keeps the link and the permissions")
    func link() throws {
        let folder = try TemporaryFolder()
        let target = try folder.write(#"{"manifest":1}"#, to: "shared/eaves.json")
        try Files.replace(target, with: Array(#"{"manifest":1}"#.utf8))
        let mode = try FileStatus(path: target).mode
        let link = try folder.link("manifest.json", to: "shared/eaves.json")
        var editor = try ManifestEditor(link)
        try editor.bind("A", to: "a")
        try editor.save()
        #expect(try folder.read("shared/eaves.json") == #"{"manifest":1,"bindings":{"A":"a"}}"#)
        #expect(try Folder(folder.path).entries.map(\.kind) == [.link, .directory])
        #expect(try FileStatus(path: target).mode == mode)
    }

    @Test("can be saved again after further changes")
    func twice() throws {
        let after = try edited(#"{"manifest":1}"#) { editor in
            try editor.bind("A", to: "a")
            try editor.save()
            #expect(!editor.isChanged)
            try editor.unbind("A")
        }
        #expect(after == #"{"manifest":1,"bindings":{}}"#)
    }
}
