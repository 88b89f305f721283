// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a thousand modules", .onOwnThreads)
struct ManyModulesTests {
    @Test("launching one feature loads its module and no other, with and without a cache")
    func laziness() throws {
        let modules = try ManyModules(count: 1000)
        for _ in 0..<2 {
            let outcome = try modules.eaves("launch", "-v", "feature-0500")
            #expect(outcome.code == 0)
            #expect(outcome.output == "this is 0500\n")
            #expect(outcome.errors.split(separator: "\n").count == 1)
            #expect(outcome.errors.hasPrefix("loaded 1: numbered-0500 1.0.0 in "))
        }
        #expect(try modules.loaded() == ["numbered-0500"])
        #expect(try modules.eaves("launch", "feature-0999").output == "this is 0999\n")
        #expect(try modules.loaded() == ["numbered-0500", "numbered-0999"])
    }

    @Test(
        "a file that was overwritten is launched as it is now, and one that is gone is not there")
    func overwritten() throws {
        let modules = try ManyModules(count: 20)
        #expect(try modules.eaves("launch", "feature-0007").output == "this is 0007\n")
        let plugins = modules.folder.url.appendingPathComponent("Plugins")
        // Another module under the name of the first, in the same file.
        let other = try Data(contentsOf: plugins.appendingPathComponent("numbered-0008.so"))
        try FileManager.default.removeItem(at: plugins.appendingPathComponent("numbered-0008.so"))
        let handle = try FileHandle(
            forWritingTo: plugins.appendingPathComponent("numbered-0007.so"))
        try handle.write(contentsOf: other)
        try handle.close()
        #expect(try modules.eaves("launch", "feature-0008").output == "this is 0008\n")
        #expect(try modules.eaves("launch", "feature-0007").code == 66)
        let list = try modules.eaves("list", "--json")
        #expect(list.output.contains("\"path\": \"Plugins/numbered-0007.so\""))
        #expect(!list.output.contains("\"id\": \"numbered-0007\""))
    }

    @Test("launch looks at what it needs; to see what was overwritten elsewhere is for a list")
    func overwrittenElsewhere() throws {
        let modules = try ManyModules(count: 20)
        // Cached when the files have settled: they cannot change unseen any more.
        try modules.folder.settle()
        #expect(try modules.eaves("list").code == 0)
        // Now two say that they offer feature-0007.
        let path = modules.folder.url.appendingPathComponent("Plugins/numbered-0008.so")
        var bytes = try Data(contentsOf: path)
        while let place = bytes.range(of: Data("feature-0008".utf8)) {
            bytes.replaceSubrange(place, with: Data("feature-0007".utf8))
        }
        let handle = try FileHandle(forWritingTo: path)
        try handle.write(contentsOf: bytes)
        try handle.close()
        #expect(try modules.eaves("launch", "feature-0007").output == "this is 0007\n")
        #expect(try modules.eaves("list").code == 0)
        let refused = try modules.eaves("launch", "feature-0007")
        #expect(refused.code == 78)
        #expect(refused.errors.contains("numbered-0007"))
        #expect(refused.errors.contains("numbered-0008"))
    }

    @Test("several commands at once see the same, and leave one whole cache")
    func atOnce() throws {
        let modules = try ManyModules(count: 200)
        let expected = try modules.eaves("list", "--json").output
        #expect(expected.contains("numbered-0199"))
        let outcome = try Eaves.shell(
            """
            for round in 1 2 3 4 5; do
                rm -rf .eaves
                for one in 1 2 3 4; do eaves list --json > $one.json & done
                wait
                cat 1.json 2.json 3.json 4.json >> all.json
                ls -A .eaves
            done
            """, in: modules.folder.url)
        #expect(outcome.code == 0)
        #expect(outcome.lines == Array(repeating: "catalog", count: 5))
        #expect(try modules.folder.read("all.json") == String(repeating: expected, count: 20))
    }

    @Test("a store that cannot be written costs nothing but time")
    func unwritable() throws {
        let modules = try ManyModules(count: 20)
        let expected = try modules.eaves("list")
        try FileManager.default.removeItem(at: modules.folder.url.appendingPathComponent(".eaves"))
        try modules.folder.write("in the way", to: ".eaves")
        for _ in 0..<2 {
            let outcome = try modules.eaves("list")
            #expect(outcome.code == 0)
            #expect((outcome.output, outcome.errors) == (expected.output, expected.errors))
        }
        #expect(try modules.eaves("launch", "feature-0003").output == "this is 0003\n")
    }
}
