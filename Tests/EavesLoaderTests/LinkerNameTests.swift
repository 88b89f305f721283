// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesLoader
import EavesSystem
import EavesTestSupport
import Testing

@Suite("The name by which the dynamic linker gets a file", .onOwnThreads)
struct LinkerNameTests {
    @Test("leads to the same file, and is the same each time")
    func same() throws {
        let folder = try TemporaryFolder()
        for number in 0..<300 {
            let path = try folder.write("", to: "módule \(number).so")
            let name = LinkerName.of(path)
            #expect(name.hasSuffix(path))
            #expect(name == LinkerName.of(path))
            #expect(try FileStatus(path: path).inode == FileStatus(path: name).inode)
        }
    }

    @Test("differs at once from those of other files in the same folder")
    func different() {
        let beginnings = (0..<1000).map { LinkerName.of("/a/folder/module-\($0).so").prefix(16) }
        let counts = Dictionary(grouping: beginnings, by: \.self).mapValues(\.count)
        #expect(counts.count > 200)
        #expect(counts.values.allSatisfy { $0 < 20 })
    }

    @Test(
        "is the path itself if that is not absolute", arguments: ["a.so", "./a.so", "", "libm.so"])
    func relative(path: String) {
        #expect(LinkerName.of(path) == path)
    }
}
