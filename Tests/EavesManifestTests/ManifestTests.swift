// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem
import EavesTestSupport
import EavesTrust
import Testing

@testable import EavesManifest

@Suite("Reading a manifest")
struct ManifestTests {
    @Test("knows whether signatures are required, and which file lists the signers")
    func signatures() throws {
        let plain = try manifest(#"{"manifest":1}"#, path: "/etc/eaves/manifest.json")
        #expect(plain.signatures == nil)
        #expect(plain.allowedSigners == "/etc/eaves/allowed_signers")
        let strict = try manifest(
            #"{"manifest":1,"signatures":"required","allowedSigners":"../keys"}"#,
            path: "/etc/eaves/manifest.json")
        #expect(strict.signatures == .required)
        #expect(strict.allowedSigners == "/etc/keys" && strict.signers == nil)
        // A host checks signers only where it demands signatures.
        let bound = try manifest(#"{"manifest":1,"signers":{"a":["users-*"],"b":[]}}"#)
        #expect(bound.signatures == .required && bound.signers == ["a": ["users-*"], "b": []])
    }

    @Test("reads every key")
    func whole() throws {
        let manifest = try manifest(wholeManifest, path: "/etc/eaves/../manifest.json")
        #expect(manifest.path == "/etc/manifest.json")
        #expect(manifest.directory == "/etc")
        #expect(manifest.store.project == "/etc")
        #expect(manifest.directories == ["Plugins", "/opt/eaves"])
        #expect(manifest.launch == "login")
        #expect(manifest.modules.map(\.id) == ["users-sqlite", "log.v2"])

        let users = try #require(manifest.entry("users-sqlite"))
        #expect(users.library == "vendor/users.so")
        #expect(!users.isEnabled)
        #expect(
            users.sha256 == "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
        #expect(users.isIsolated)
        let settings: JSON = ["path": "users.db", "limits": [1, 2.5, nil], "on": true]
        #expect(JSON.object(users.settings) == settings)
        #expect(users.position.description == "6:5")

        let places = manifest.settingPlaces(of: "users-sqlite").keys
        #expect(places.sorted() == ["limits", "on", "path"])

        let log = try #require(manifest.entry("log.v2"))
        var expected = ModuleEntry(id: "log.v2", position: log.position)
        expected.isEnabled = true
        #expect(log == expected)
        #expect(log.position.description == "12:5")

        #expect(manifest.bindings.map(\.service) == ["UserService", "Net.Häuser"])
        #expect(manifest.bindings.map(\.position.description) == ["14:17", "14:48"])
        #expect(manifest.binding(of: "UserService") == "users-memory")
        #expect(manifest.binding(of: "Net.Häuser") == "users-sqlite")
        #expect(manifest.binding(of: "Routing") == nil)
        #expect(manifest.entry("users-memory") == nil)
    }

    @Test("reads the terms of a probation, and says what each of them allows")
    func probation() throws {
        let usual = try manifest(#"{"manifest":1}"#).probation
        #expect(usual == ProbationPolicy() && usual.step(after: 0.1) == nil)
        #expect(try !manifest(#"{"manifest":1,"probation":false}"#).probation.isOn)
        let terms = try manifest(
            #"""
            {"manifest":1,"probation":{"seconds":0,"calls":7,"errors":0.5,"latency":3,
             "steps":["0.5%","25%","100%"],"oneAtATime":true}}
            """#
        ).probation
        #expect(terms.seconds == 0 && terms.calls == 7 && terms.isOneAtATime)
        #expect(terms.errors == 0.5 && terms.latency == 3)
        #expect(terms.step(after: 0.001) == terms.steps[0])
        #expect(terms.step(after: 0.005) == terms.steps[1])
        #expect(terms.step(after: 0.25) == .all)
        #expect(terms.step(after: 1) == nil)
    }

    @Test(
        "refuses terms of a probation that it does not allow",
        arguments: [
            #""seconds":-1"#, #""seconds":86401"#, #""calls":1.5"#, #""errors":0"#,
            #""latency":0.9"#,
            #""steps":"5%""#, #""steps":[5]"#, #""steps":["25%","5%"]"#, #""steps":["5%","5%"]"#,
            #""steps":["5%","60%"]"#, #""window":5"#, #""oneAtATime":1"#,
        ])
    func wrongProbation(member: String) {
        #expect(throws: ManifestError.self) {
            try manifest(#"{"manifest":1,"probation":{\#(member)}}"#)
        }
    }

    @Test("searches Plugins if it names no directories")
    func defaults() throws {
        let manifest = try manifest(#"{"manifest": 1}"#)
        #expect(manifest.directories == ["Plugins"])
        #expect(manifest.modules.isEmpty && manifest.bindings.isEmpty && manifest.launch == nil)
        #expect(manifest.directory == Path.current)
    }

    @Test("reads which other compilers are allowed; none by default")
    func compilers() throws {
        #expect(try manifest(#"{"manifest": 1}"#).compilers == [])
        #expect(try manifest(#"{"manifest": 1, "compilers": []}"#).compilers == [])
        let several = try manifest(#"{"manifest": 1, "compilers": ["6.2", "5.10"]}"#)
        #expect(several.compilers == ["6.2", "5.10"])
    }

    @Test("reads a manifest of a thousand modules", .patiently)
    func large() throws {
        let entries = (0..<1000).map { #""m\#($0)": { "library": "m\#($0).so" }"# }
        let manifest = try manifest(
            "{\"manifest\": 1, \"modules\": {\n" + entries.joined(separator: ",\n") + "}}")
        #expect(manifest.modules.count == 1000)
        #expect(manifest.entry("m999")?.library == "m999.so")
        #expect(manifest.entry("m999")?.position.description == "1001:1")
    }

    @Test("is loaded from its file")
    func load() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(wholeManifest)
        let manifest = try Manifest.load(path)
        #expect(manifest.path == path && manifest.directory == folder.path)
    }

    @Test("through a link, names are relative to the link's folder")
    func linked() throws {
        let folder = try TemporaryFolder()
        let target = try folder.write(wholeManifest, to: "shared/eaves.json")
        let manifest = try Manifest.load(folder.link("manifest.json", to: target))
        #expect(manifest.directory == folder.path)
        #expect(manifest.launch == "login")
    }
}

@Suite("Finding the manifest")
struct ManifestFindingTests {
    @Test("finds the nearest one, in the folder or above it")
    func nearest() throws {
        let folder = try TemporaryFolder()
        let outer = try folder.write("{}")
        let inner = try folder.write("{}", to: "a/b/manifest.json")
        try Files.createFolder(folder.file("a/b/c/d"))
        #expect(Manifest.find(from: folder.path) == outer)
        #expect(Manifest.find(from: folder.file("a")) == outer)
        #expect(Manifest.find(from: folder.file("a/b")) == inner)
        #expect(Manifest.find(from: folder.file("a/b/c/d")) == inner)
        #expect(Manifest.find(from: folder.file("a/b/../x/.")) == outer)
    }

    @Test("skips a folder of that name")
    func folderOfThatName() throws {
        let folder = try TemporaryFolder()
        let outer = try folder.write("{}")
        try Files.createFolder(folder.file("a/manifest.json"))
        #expect(Manifest.find(from: folder.file("a")) == outer)
    }

    @Test("finds a link and keeps its name")
    func link() throws {
        let folder = try TemporaryFolder()
        let target = try folder.write("{}", to: "b/eaves.json")
        let link = try folder.link("manifest.json", to: target)
        #expect(Manifest.find(from: folder.path) == link)
    }

    @Test("finds none where there is none")
    func none() throws {
        let folder = try TemporaryFolder()
        #expect(Manifest.find(from: folder.path) == nil)
        #expect(Manifest.find(from: "/") == nil)
    }
}
