// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesManifest
import EavesQuarantine
import EavesSystem
import EavesTestSupport
import EavesTrust
import Testing

@Suite("The last good file of a module that is kept out")
struct LastGoodTests {
    private let folder: TemporaryFolder
    private let store: Store
    private let good: SHA256Digest

    /// The module `users`, whose file is kept out and offers the feature `bad`. Its last good file offers `good`.
    init() throws {
        folder = try TemporaryFolder()
        store = Store(of: folder.path, .own)
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        let kept = try folder.add(Self.users("1.0.0", feature: "good"), as: "good.so")
        let bytes = try Files.read(kept)
        good = SHA256.digest(of: bytes)
        try LastGoodStore(store).keep(good, of: "users", signature: nil) { bytes }
        let file = try folder.add(Self.users("2.0.0", feature: "bad"))
        let module = SuspectModule(id: "users", path: "Plugins/users.so", file: file)
        #expect(try QuarantineStore(store).keepOut(module, because: "it crashed", since: 1))
    }

    private static func users(_ version: String, feature: String) -> ModuleDeclaration {
        var declaration = ModuleDeclaration.sample(provides: ["UserService"], features: [feature])
        declaration.version = version
        return declaration
    }

    private func entry(_ manifest: String = #"{ "manifest": 1 }"#) throws -> CatalogEntry {
        try folder.write(manifest, to: "manifest.json")
        return try #require(folder.catalogLater().entry("users"))
    }

    @Test("takes its place, and is what the catalog tells of")
    func place() throws {
        let entry = try entry()
        #expect(entry.state == .ready && entry.isAvailable)
        #expect(entry.declaration?.version == "1.0.0")
        #expect(entry.standIn?.file.digest == good)
        #expect(entry.loadedFile == LastGoodStore(store).file(of: "users")?.path)
        // Authors build, sign and verify the module's own file.
        #expect(entry.file == folder.file("Plugins/users.so"))
        // The table knows all files, and not this one, which others may be compiled against.
        #expect(try folder.catalogLater().terms == nil)
        #expect(entry.own.state == .quarantined && entry.own.declaration?.version == "2.0.0")
        let warning = try #require(entry.standInWarning)
        #expect(
            warning.message.contains(
                "it crashed (Plugins/users.so); the last good file takes its place: version 1.0.0, "
            )
        )
        #expect(warning.fix?.contains("eaves quarantine clear users") == true)
        #expect(try folder.catalogLater().features.map(\.declaration.name) == ["good"])
    }

    @Test("is found by what it declares alone, also by a catalog that looks at few modules")
    func found() throws {
        try folder.add(.sample("other", features: ["other"]))
        let whole = try folder.catalogLater()
        _ = whole.entries
        let manifest = try folder.load()
        let narrow = {
            Catalog(manifest: manifest, profile: .sample, table: TableFile(in: manifest.store))
        }
        let found = try narrow().provider(of: .feature("good"))
        #expect(found?.id == "users" && found?.standIn != nil)
        #expect(found == (try whole.provider(of: .feature("good"))))
        #expect(throws: ProviderError.self) { try narrow().provider(of: .feature("bad")) }
        #expect(try narrow().provider(of: .service("UserService", name: nil)) == found)
    }

    @Test("stays away if a pin or a least version in the manifest speaks against it")
    func demands() throws {
        let pinned = { (digest: String) in
            #"{ "manifest": 1, "modules": { "users": { "sha256": "\#(digest)" } } }"#
        }
        #expect(try entry(pinned(good.hex)).state == .ready)
        #expect(try entry(pinned(String(repeating: "0", count: 64))).state == .quarantined)
        let least = { (version: String) in
            #"{ "manifest": 1, "modules": { "users": { "leastVersion": "\#(version)" } } }"#
        }
        #expect(try entry(least("1.0.0")).state == .ready)
        #expect(try entry(least("1.0.1")).state == .quarantined)
        #expect(try entry().state == .ready)
    }

    @Test("stays away if it is kept out itself, or another module, or for another host")
    func unusable() throws {
        let bytes = try Files.read(folder.file("good.so"))
        let keep = { (bytes: [UInt8]) in
            try LastGoodStore(store).keep(SHA256.digest(of: bytes), of: "users", signature: nil) {
                bytes
            }
        }
        try keep(Files.read(folder.add(.sample("other"), as: "other.so")))
        #expect(try entry().state == .quarantined)
        try keep(
            Files.read(
                folder.add(
                    Self.users("1.0.0", feature: "good"), tag: BuildTag(abi: 9), as: "nine.so")))
        #expect(try entry().state == .quarantined)
        try keep(bytes)
        #expect(try entry().state == .ready)
        let module = SuspectModule(
            id: "users", path: "Plugins/users.so", file: folder.file("good.so"))
        #expect(try QuarantineStore(store).keepOut(module, because: "it crashed, too", since: 2))
        #expect(try entry().state == .quarantined)
    }

    @Test("goes as soon as the module's own file is another one, or is let in")
    func mended() throws {
        try folder.add(Self.users("3.0.0", feature: "mended"))
        #expect(try entry().standIn == nil)
        #expect(try entry().declaration?.version == "3.0.0")
        try folder.add(Self.users("2.0.0", feature: "bad"))
        #expect(try entry().standIn != nil)
        var errors: [QuarantineError] = []
        _ = try QuarantineStore(store).clear(["users"], &errors)
        #expect(try entry().standIn == nil)
        #expect(try entry().declaration?.version == "2.0.0")
    }
}
