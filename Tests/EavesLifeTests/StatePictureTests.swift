// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@Suite("The picture of states in the documentation")
struct StatePictureTests {
    @Test(
        "has a row for each case of the enum, and no other one",
        arguments: [
            ("ModuleLife.swift", "State", "state of a module"),
            ("ModuleLife.swift", "File", "state of its file"),
            ("Running.swift", "State", "state of a service"),
        ])
    func rows(file: String, type: String, heading: String) throws {
        let code = try text("Sources/Running/EavesLife/States/\(file)")
        let start = try #require(code.range(of: "enum \(type): Sendable {")).upperBound
        let body = code[start...].prefix { $0 != "}" }
        let cases = body.matches(of: /\bcase (\w+)/).map { String($0.1) }
        let page = try text("Documentation/Internals/Pipeline.md")
        let table = try #require(page.range(of: "| \(heading) | until |")).upperBound
        let rows = page[table...].components(separatedBy: "\n\n")[0]
        #expect(cases == rows.matches(of: /\n\| `(\w+)`/).map { String($0.1) })
        let picture = try #require(page.range(of: "A module is in one of these states"))
        let fence = page[picture.upperBound...].prefix { $0 != "|" }
        if !heading.hasSuffix("service") {
            #expect(cases.allSatisfy { fence.contains($0) })
        }
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: Repository.file(path)), as: UTF8.self)
    }
}
