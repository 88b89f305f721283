// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import Testing

@Suite("The resources of a module")
struct ModuleResourcesTests {
    private static let files = [
        ModuleResources.File(name: "A_A.resources/de.lproj/words", bytes: Array("Tür\n".utf8)),
        ModuleResources.File(name: "A_A.resources/a b.txt", bytes: [0, 10, 255]),
        ModuleResources.File(name: "A_A.resources/empty", bytes: []),
    ]

    @Test("are read from a section as they were written, in the order of their names")
    func whole() {
        let resources = ModuleResources(Self.files)
        #expect(ModuleResources(resources.content) == resources)
        #expect(
            resources.files.map(\.name) == [
                "A_A.resources/a b.txt", "A_A.resources/de.lproj/words", "A_A.resources/empty",
            ])
        #expect(ModuleResources(Self.files.reversed()).digest == resources.digest)
        #expect(ModuleResources(Array(Self.files.dropLast())).digest != resources.digest)
        #expect(ModuleResources([]).files.isEmpty)
    }

    @Test("are none if a byte is missing or too much")
    func damaged() {
        let content = ModuleResources(Self.files).content
        for count in 0..<content.count {
            #expect(ModuleResources(Array(content.prefix(count))) == nil, "\(count)")
        }
        #expect(ModuleResources(content + [0]) == nil)
        #expect(ModuleResources(Array(#"[{"name":"A/b","size":-1}]"#.utf8) + [10]) == nil)
        let twice = #"[{"name":"A/b","size":0},{"name":"A/b","size":0}]"#
        #expect(ModuleResources(Array(twice.utf8) + [10]) == nil)
    }

    @Test(
        "are none if a name leads out of their folder",
        arguments: [
            "a", "/a/b", "../a", "a/../../b", "a/./b", "a//b", "a/", "", "a/b\\u0000c",
        ])
    func outside(name: String) {
        let text = "[{\"name\":\"\(name)\",\"size\":0}]\n"
        #expect(ModuleResources(Array(text.utf8)) == nil)
        #expect(ModuleResources(Array("[{\"name\":\"a/b\",\"size\":0}]\n".utf8)) != nil)
    }
}
