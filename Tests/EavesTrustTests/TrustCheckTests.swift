// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesSystem
import EavesTestSupport
import EavesTrust
import Testing

@Suite("The files that a trust check looks at")
struct TrustCheckTests {
    private let folder: TemporaryFolder
    private let root: String
    private let check: TrustCheck

    init() throws {
        folder = try TemporaryFolder()
        root = try #require(Files.resolved(folder.path))
        check = TrustCheck(from: root)
    }

    private func path(_ name: String) -> String { Path.join(root, name) }

    private func place(of error: TrustError?) -> TrustPlace? {
        switch error {
        case .writable(let place, _, _), .owner(let place, _), .unresolved(let place, _): place
        case .escapes, nil: nil
        }
    }

    @Test("a missing file is no error, but a circle of links is")
    func missing() throws {
        try folder.link("dangling.so", to: "nowhere/file.so")
        try folder.link("circle.so", to: "circle.so")
        for name in ["none.so", "none/none.so", "dangling.so"] {
            #expect(check.error(of: TrustPlace(path(name), .module)) == nil, "\(name)")
        }
        guard case .unresolved = check.error(of: TrustPlace(path("circle.so"), .module)) else {
            Issue.record("a circle of links was followed to its end")
            return
        }
    }

    @Test("the manifest and its folder, and nothing above")
    func manifest() throws {
        try folder.write(#"{ "manifest": 1 }"#, to: "a/manifest.json")
        let manifest = try Manifest.load(path("a/manifest.json"))
        #expect(TrustCheck.error(of: manifest) == nil)
        try Files.setMode(0o666, of: path("a/manifest.json"))
        #expect(
            place(of: TrustCheck.error(of: manifest))
                == TrustPlace(path("a/manifest.json"), .manifest))
        try Files.setMode(0o777, of: path("a"))
        #expect(place(of: TrustCheck.error(of: manifest)) == TrustPlace(path("a"), .way))
        try Files.setMode(0o755, of: path("a"))
        try Files.setMode(0o644, of: path("a/manifest.json"))
        try Files.setMode(0o777, of: root)
        #expect(TrustCheck.error(of: manifest) == nil)
    }

    @Test("the store and the copies in it, as far as they are folders")
    func store() throws {
        let store = path("store")
        #expect(check.error(ofStore: store) == nil)
        try folder.write("a file", to: "store", mode: 0o666)
        #expect(check.error(ofStore: store) == nil)
        try Files.remove(store)
        try folder.createFolder("store/modules")
        #expect(check.error(ofStore: store) == nil)
        for name in ["store/modules", "store"] {
            try Files.setMode(0o777, of: path(name))
            #expect(place(of: check.error(ofStore: store)) == TrustPlace(path(name), .store))
        }
        try Files.setMode(0o755, of: store)
        try Files.setMode(0o755, of: path("store/modules"))
        // Through a link, the way counts as well.
        try folder.createFolder("other/place/modules")
        try folder.link("link", to: "other/place")
        #expect(check.error(ofStore: path("link")) == nil)
        try Files.setMode(0o777, of: path("other"))
        #expect(place(of: check.error(ofStore: path("link"))) == TrustPlace(path("other"), .way))
    }

    @Test("a folder of sources with everything in it except hidden files")
    func sources() throws {
        try folder.write("a", to: "Sources/a.swift")
        try folder.write("b", to: "Sources/deep/er/b.swift")
        try folder.write("c", to: "Sources/.hidden", mode: 0o666)
        try folder.write("d", to: "Sources/.build/d.swift", mode: 0o666)
        let sources = path("Sources")
        #expect(check.error(ofSources: sources) == nil)
        let places: [(name: String, TrustPlace.Role)] = [
            ("Sources/deep/er/b.swift", .source), ("Sources/a.swift", .source),
            ("Sources/deep", .way), ("Sources", .way),
        ]
        for (name, role) in places {
            let mode = try FileStatus(path: path(name)).mode
            try Files.setMode(0o777, of: path(name))
            #expect(place(of: check.error(ofSources: sources)) == TrustPlace(path(name), role))
            try Files.setMode(mode, of: path(name))
        }
        #expect(check.error(ofSources: path("none")) == nil)
    }

    @Test(
        "a link that leads to a file outside of all directories, however much like one it is named")
    func escape() throws {
        for name in ["Plugins/in.so", "Plugins/deep/in.so", "More/in.so", "Plugins-old/out.so"] {
            try folder.write("module", to: name)
        }
        try folder.write("module", to: "out.so")
        let directories = [path("Plugins"), path("More")]
        func error(linkTo target: String) throws -> TrustError? {
            let link = path("Plugins/link.so")
            try Files.remove(link)
            try folder.link("Plugins/link.so", to: target)
            return TrustCheck.error(ofLink: link, leadingOutOf: directories)
        }
        for target in ["in.so", "deep/in.so", "../More/in.so", path("More/in.so")] {
            #expect(try error(linkTo: target) == nil, "\(target)")
        }
        for target in ["../out.so", "../Plugins-old/out.so", path("out.so"), ".."] {
            let real = try #require(Files.resolved(Path.join(path("Plugins"), target)))
            #expect(
                try error(linkTo: target)
                    == .escapes(link: path("Plugins/link.so"), target: real), "\(target)")
        }
        #expect(try error(linkTo: "nowhere") == nil)
    }
}
