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

    @Test("as many files of one module cost a launch little more, and few messages")
    func oneID() throws {
        var calls: [Int] = []
        for isSame in [false, true] {
            let modules = try ManyModules(count: 1000, isSame: isSame)
            // The second time, the answer comes from the cache. The shell counts what its children read.
            let line = "eaves launch feature-0000; grep syscr /proc/$$/io"
            var outcome = try Eaves.shell(line, in: modules.folder.url)
            outcome = try Eaves.shell(line, in: modules.folder.url)
            #expect(outcome.lines.first == "this is 0000", "\(outcome)")
            // Two lines name the file that is used, and one of the others.
            #expect(outcome.errors.split(separator: "\n").count == (isSame ? 2 : 0))
            let count = outcome.lines.last?.split(separator: " ").last.flatMap { Int($0) }
            calls.append(try #require(count))
        }
        #expect(calls[1] < calls[0] + 1000, "\(calls)")
    }
}
