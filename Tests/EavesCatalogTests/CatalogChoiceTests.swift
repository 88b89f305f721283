// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesManifest
import EavesQuarantine
import EavesSystem
import EavesTestSupport
import EavesTrust
import Glibc
import Synchronization
import Testing

@Suite("A file that cannot be used takes no id from a good one with a later name")
struct CatalogChoiceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.add(.sample("users", provides: ["UserService"]), as: "Plugins/z.so")
    }

    /// Expects that all questions lead to the good file, with and without a cache.
    ///
    /// - Parameters:
    ///   - state: The state of the bad file, `Plugins/a.so`.
    ///   - examine: The closer look of a host.
    private func expectGood(
        butBad state: ModuleState, _ manifest: String = #"{ "manifest": 1 }"#,
        examine: @escaping @Sendable (CatalogEntry) -> [Diagnostic] = { _ in [] },
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let service = Capability.service("UserService", name: nil)
        // A clock far ahead: all files have settled, and the second catalog finds all of them in the cache.
        for _ in 0..<2 {
            try folder.write(manifest, to: "manifest.json")
            let loaded = try folder.load()
            let makeCatalog = {
                Catalog(
                    manifest: loaded, profile: .sample, table: TableFile(in: loaded.store),
                    clock: { WallClock.now + 60_000_000_000 },
                    examination: ModuleExamination(problems: examine))
            }
            let provider = try makeCatalog().provider(of: service)
            #expect(provider?.path == "Plugins/z.so", sourceLocation: sourceLocation)
            #expect(provider?.problem == nil, sourceLocation: sourceLocation)
            let catalog = makeCatalog()
            #expect(catalog.entry("users") == provider, sourceLocation: sourceLocation)
            #expect(catalog.entries.map(\.path) == ["Plugins/a.so", "Plugins/z.so"])
            #expect(
                catalog.entries.map(\.state) == [state, .ready], sourceLocation: sourceLocation)
            let bad = try #require(catalog.entries.first)
            #expect(!bad.isUsed && !bad.isAvailable && !bad.diagnostics.isEmpty)
            if case .duplicateID = bad.problem {
                Issue.record("the bad file does not say why", sourceLocation: sourceLocation)
            }
            #expect(
                makeCatalog().providers(ofAll: "UserService") == [provider],
                sourceLocation: sourceLocation)
        }
    }

    @discardableResult
    private func addBad(_ tag: BuildTag = .sample) throws -> String {
        try folder.add(.sample("users", provides: ["UserService"]), tag: tag, as: "Plugins/a.so")
    }

    @Test("because it is for another ABI, interface or compiler")
    func incompatible() throws {
        let tags = [
            BuildTag(abi: 9), BuildTag(abi: 1, interface: InterfaceVersion(major: 1, minor: 4)),
            BuildTag(abi: 1, compiler: "5.9"),
        ]
        for tag in tags {
            try addBad(tag)
            try expectGood(butBad: .incompatible)
        }
    }

    @Test("because it is for another machine")
    func machine() throws {
        let note = ModuleNote(
            declaration: .sample("users", provides: ["UserService"]), tag: .sample)
        try folder.write(Binaries.module(note).patched(18..<20, with: 0xB7), to: "Plugins/a.so")
        try expectGood(butBad: .incompatible)
    }

    @Test("because it crashed too often")
    func quarantined() throws {
        let file = try addBad()
        // Other content than that of the good file.
        try folder.write(Files.read(file) + [0], to: "Plugins/a.so")
        let suspect = SuspectModule(id: "users", path: "Plugins/a.so", file: file)
        #expect(
            try QuarantineStore(Store(of: folder.path, .own)).keepOut(
                suspect, because: "crashed", since: 1))
        try expectGood(butBad: .quarantined)
    }

    @Test("because another user can change it")
    func writable() throws {
        #expect(chmod(try addBad(), 0o666) == 0)
        try expectGood(butBad: .untrusted)
    }

    @Test("because it belongs to another user", .enabled(if: geteuid() == 0, "needs root"))
    func owner() throws {
        #expect(chown(try addBad(), 12_345, 12_345) == 0)
        try expectGood(butBad: .untrusted)
    }

    @Test("because it leads out of the manifest's directories")
    func escaping() throws {
        try folder.add(
            .sample("users", provides: ["UserService"]), as: "Plugins-old/users.so")
        try folder.link("Plugins/a.so", to: "../Plugins-old/users.so")
        try expectGood(butBad: .untrusted)
    }

    @Test("because of something that only a closer look shows")
    func examined() throws {
        try addBad()
        let states: [(FailureCode, ModuleState)] = [
            (.badData, .invalid), (.incompatible, .incompatible), (.untrusted, .untrusted),
        ]
        for (code, state) in states {
            try expectGood(butBad: state) { entry in
                entry.path == "Plugins/a.so" ? [Diagnostic("it is bad", code: code)] : []
            }
        }
    }

    @Test("because the manifest pins other content; the closer look is told of the pin")
    func pinned() throws {
        try addBad()
        let pin = String(repeating: "0", count: 64)
        try expectGood(
            butBad: .untrusted,
            #"{ "manifest": 1, "modules": { "users": { "sha256": "\#(pin)" } } }"#
        ) { entry in
            #expect(entry.sha256 == pin)
            return entry.path == "Plugins/a.so"
                ? [Diagnostic("other content", code: .untrusted)] : []
        }
    }

    @Test(
        "the look goes no further than to the first good file, and only where several share an id")
    func looks() throws {
        try folder.add(.sample("login"))
        for name in ["b", "c"] { try folder.add(.sample("users"), as: "Plugins/\(name).so") }
        try addBad()
        let seen = Mutex<[String]>([])
        let catalog = try folder.catalog { entry in
            seen.withLock { $0.append(entry.path) }
            return entry.path == "Plugins/a.so" ? [Diagnostic("it is bad", code: .badData)] : []
        }
        #expect(catalog.entry("users")?.path == "Plugins/b.so")
        #expect(seen.withLock { $0 } == ["Plugins/a.so", "Plugins/b.so"])
        let off = try folder.catalog(
            #"{ "manifest": 1, "modules": { "users": { "enabled": false } } }"#
        ) { _ in
            Issue.record("a module that is off is looked at")
            return []
        }
        #expect(off.entry("users")?.state == .disabled)
        #expect(off.entry("users")?.path == "Plugins/a.so")
    }

    @Test("but the file that the manifest lists keeps it, whatever is wrong with it")
    func listed() throws {
        try addBad(BuildTag(abi: 9))
        let catalog = try folder.catalog(
            #"{ "manifest": 1, "modules": { "users": { "library": "Plugins/a.so" } } }"#)
        #expect(catalog.entry("users")?.path == "Plugins/a.so")
        #expect(catalog.entries.map(\.state) == [.incompatible, .invalid])
    }

    @Test("and where none is good, one that a build mends goes before the others")
    func mendable() throws {
        try Files.remove(folder.file("Plugins/z.so"))
        try addBad(BuildTag(abi: 9))
        try folder.addSource(.sample("users", provides: ["UserService"]), in: "Plugins/Users")
        let catalog = try folder.catalog()
        #expect(catalog.entry("users")?.source == folder.file("Plugins/Users"))
        #expect(catalog.entries.map(\.path) == ["Plugins/a.so", "Plugins/users.so"])
        #expect(catalog.entries.map(\.state) == [.incompatible, .missing])
        #expect(
            try catalog.provider(of: .service("UserService", name: nil))?.path
                == "Plugins/users.so")
    }

    @Test("and where all are untrusted or only guess it, the one that declares it goes first")
    func noneGood() throws {
        #expect(chmod(folder.file("Plugins/z.so"), 0o666) == 0)
        try folder.write("text", to: "Plugins/users.so")
        #expect(try folder.catalog().entry("users")?.path == "Plugins/users.so")
        try addBad(BuildTag(abi: 9))
        let catalog = try folder.catalog()
        #expect(catalog.entry("users")?.path == "Plugins/a.so")
        #expect(catalog.entries.map(\.state) == [.incompatible, .invalid, .untrusted])
    }

    @Test("however many there are, messages name the first few and count the others")
    func many() throws {
        for number in 10..<60 { try addBad(number: number) }
        let catalog = try folder.catalog()
        #expect(catalog.entries.count == 51)
        let messages = catalog.entries.diagnostics.map(\.message)
        #expect(messages.count == 4)
        #expect(messages.last == "users: 47 more files have this id and are not used")
    }

    private func addBad(number: Int) throws {
        try folder.add(.sample("users"), tag: BuildTag(abi: 9), as: "Plugins/a\(number).so")
    }
}

@Suite("Two modules with one id")
struct CatalogDuplicatesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("the first by name is used, and the other says which")
    func byName() throws {
        try folder.add(.sample("users", provides: ["A"]), as: "Plugins/b.so")
        try folder.add(.sample("users", provides: ["B"]), as: "Plugins/a.so")
        let catalog = try folder.catalog()
        #expect(catalog.entries.map(\.path) == ["Plugins/a.so", "Plugins/b.so"])
        #expect(catalog.entries.map(\.state) == [.ready, .invalid])
        #expect(catalog.entry("users")?.path == "Plugins/a.so")
        #expect(catalog.modules(providing: "A", name: nil).map(\.state) == [.invalid])
        #expect(
            catalog.entries[1].diagnostics.map(\.message)
                == [
                    "users: another module has the same id, and eaves uses that one: "
                        + "Plugins/a.so (Plugins/b.so)"
                ])
        #expect(
            catalog.entries[1].diagnostics.map(\.fix) == [
                "remove Plugins/a.so or Plugins/b.so, or name the one to use in the manifest: "
                    + "modules.users.library"
            ])
    }

    @Test("the file that a host has loaded is used while it is there and no other is listed")
    func loaded() throws {
        let file = try folder.add(.sample("users"), as: "Plugins/b.so")
        try folder.add(.sample("users"), as: "Plugins/a.so")
        func found(_ manifest: String = #"{ "manifest": 1 }"#) throws -> [String?] {
            let entry = try folder.catalog(manifest, holding: ["users": file]).entry("users")
            return [entry?.path, entry?.rival]
        }
        #expect(try folder.catalog().entry("users")?.rival == "Plugins/b.so")
        #expect(try found() == ["Plugins/b.so", "Plugins/a.so"])
        // The manifest says which one, so that there is nothing to tell.
        let listed = #"{ "manifest": 1, "modules": { "users": { "library": "Plugins/a.so" } } }"#
        #expect(try found(listed) == ["Plugins/a.so", nil])
        // A file that is written over has no id for a moment.
        try folder.write("text", to: "Plugins/b.so")
        #expect(try found() == ["Plugins/b.so", "Plugins/a.so"])
        // Another module in its place is not that file any more.
        try folder.add(.sample("others"), as: "Plugins/b.so")
        #expect(try found() == ["Plugins/a.so", nil])
        try Files.remove(file)
        #expect(try found() == ["Plugins/a.so", nil])
    }

    @Test("the first directory goes before the name")
    func byDirectory() throws {
        try folder.add(.sample("users"), as: "one/z.so")
        try folder.add(.sample("users"), as: "two/a.so")
        let catalog = try folder.catalog(#"{ "manifest": 1, "directories": ["one", "two"] }"#)
        #expect(catalog.entry("users")?.path == "one/z.so")
        let reversed = try folder.catalog(#"{ "manifest": 1, "directories": ["two", "one"] }"#)
        #expect(reversed.entry("users")?.path == "two/a.so")
    }

    @Test("a listed file is no duplicate of itself, under whatever name")
    func sameFile() throws {
        let file = try folder.add(.sample("users"))
        #expect(symlink(file, Path.join(folder.path, "Plugins/alias.so")) == 0)
        for library in ["Plugins/users.so", "./Plugins/../Plugins/users.so", file] {
            let catalog = try folder.catalog(
                #"{ "manifest": 1, "modules": { "users": { "library": "\#(library)" } } }"#)
            #expect(catalog.entries.map(\.path) == ["Plugins/users.so"])
            #expect(catalog.entries.map(\.state) == [.ready])
        }
    }

    @Test("a broken file takes no id away by its name")
    func brokenNamesake() throws {
        try folder.write("text", to: "Plugins/users.so")
        try folder.add(.sample("users"), as: "Plugins/working.so")
        let catalog = try folder.catalog()
        #expect(catalog.entry("users")?.path == "Plugins/working.so")
        #expect(catalog.entry("users")?.state == .ready)
        let broken = try #require(catalog.entries.first { $0.path == "Plugins/users.so" })
        #expect(broken.problem == .binary(.notELF(start: Array("text".utf8))))
    }
}
