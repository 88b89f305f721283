// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesSystem
import EavesTestSupport
import Testing

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
