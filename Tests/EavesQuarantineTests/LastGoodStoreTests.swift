// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import EavesTrust
import Glibc
import Testing

@testable import EavesQuarantine

@Suite("The last good file of a module")
struct LastGoodStoreTests {
    private let folder: TemporaryFolder
    private let store: LastGoodStore

    init() throws {
        folder = try TemporaryFolder()
        store = LastGoodStore(Store(of: folder.path, .own))
    }

    private func digest(_ text: String) -> SHA256Digest { SHA256.digest(of: Array(text.utf8)) }

    private func keep(_ text: String, of module: String = "users", signature: String? = nil) throws
    {
        try store.keep(digest(text), of: module, signature: signature.map { Array($0.utf8) }) {
            Array(text.utf8)
        }
    }

    private var names: [String] {
        get throws { try folder.names(in: ".eaves/good").filter { !$0.hasPrefix(".") }.sorted() }
    }

    @Test("is nothing before one was kept")
    func nothing() {
        #expect(store.file(of: "users") == nil)
        #expect(!folder.has(".eaves"))
    }

    @Test("is a copy with its content, and takes the place of the one before")
    func kept() throws {
        try keep("one")
        let first = try #require(store.file(of: "users"))
        #expect(first.digest == digest("one"))
        #expect(try Files.read(first.path) == Array("one".utf8))
        #expect(first.path == folder.file(".eaves/good/users@\(digest("one").hex).so"))
        try keep("two")
        #expect(store.file(of: "users")?.digest == digest("two"))
        #expect(try names.count == 1)
    }

    @Test("is one for each module, also if a name begins with another one")
    func modules() throws {
        try keep("one")
        try keep("two", of: "users-v2")
        try keep("three")
        #expect(store.file(of: "users")?.digest == digest("three"))
        #expect(store.file(of: "users-v2")?.digest == digest("two"))
    }

    @Test("is copied once for each content")
    func once() throws {
        try keep("one")
        try store.keep(digest("one"), of: "users", signature: nil) {
            Issue.record("the content is there already")
            return []
        }
        #expect(store.file(of: "users")?.digest == digest("one"))
    }

    @Test("has the signature of the file next to it, as long as it is kept")
    func signature() throws {
        try keep("one", signature: "signed")
        let file = try #require(store.file(of: "users"))
        #expect(try Files.read(file.path + ".sig") == Array("signed".utf8))
        try keep("one", signature: "signed")
        #expect(try names.count == 2)
        try keep("two")
        #expect(try names == ["users@\(digest("two").hex).so"])
    }

    @Test("stays if the next one cannot be read")
    func unreadable() throws {
        try keep("one")
        #expect(throws: FixtureError.self) {
            try store.keep(digest("two"), of: "users", signature: nil) {
                throw FixtureError("unreadable")
            }
        }
        #expect(store.file(of: "users")?.digest == digest("one"))
    }

    @Test("counts no more once it is damaged, or others can change it")
    func damaged() throws {
        try keep("one")
        let path = try #require(store.file(of: "users")).path
        #expect(chmod(path, 0o722) == 0)
        #expect(store.file(of: "users") == nil)
        #expect(chmod(path, 0o700) == 0)
        #expect(store.file(of: "users") != nil)
        try Files.replace(path, with: Array("on".utf8), mode: 0o500)
        #expect(store.file(of: "users") == nil)
        try Files.remove(path)
        try folder.write("one", to: "elsewhere")
        try folder.link(".eaves/good/users@\(digest("one").hex).so", to: folder.file("elsewhere"))
        #expect(store.file(of: "users") == nil)
    }

    @Test("is the newer one of two that an interrupted process has left")
    func two() throws {
        try keep("one")
        let first = try #require(store.file(of: "users")).path
        try keep("two")
        try Files.replace(first, with: Array("one".utf8), mode: 0o500)
        var times = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 1000, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, first, &times, 0) == 0)
        #expect(store.file(of: "users")?.digest == digest("two"))
    }
}
