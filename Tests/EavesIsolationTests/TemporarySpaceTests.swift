// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc
import Testing

@testable import EavesIsolation

@Suite("TemporarySpace")
struct TemporarySpaceTests {
    private func write(_ count: Int, to path: String) throws {
        try OpenFile(creating: path, mode: 0o600).write([UInt8](repeating: 1, count: count))
    }

    @Test("goes with its owner, and is its user's alone")
    func removal() throws {
        let path: String
        do {
            let space = try TemporarySpace()
            path = space.path
            #expect(try FileStatus(path: path).mode == 0o700)
            try write(1, to: path + "/file")
        }
        #expect(throws: SystemError.self) { try FileStatus(path: path) }
    }

    @Test("is full by its files, by those that are removed and open, and by their number")
    func size() throws {
        let space = try TemporarySpace()
        let limit = UInt64(1 << 20)
        try Files.createFolder(space.path + "/inner")
        try write(600 << 10, to: space.path + "/inner/file")
        #expect(link(space.path + "/inner/file", space.path + "/inner/link") == 0)
        #expect(!space.isOver(limit, for: [getpid()]))
        let kept = try OpenFile(creating: space.path + "/kept", mode: 0o600)
        try kept.write([UInt8](repeating: 1, count: 600 << 10))
        #expect(space.isOver(limit, for: []))
        try Files.remove(space.path + "/kept")
        #expect(!space.isOver(limit, for: []))
        #expect(space.isOver(limit, for: [getpid()]))
        withExtendedLifetime(kept) {}
    }
}
