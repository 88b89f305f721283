// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@Suite("The picture of processes in the documentation")
struct ProcessPictureTests {
    private let page: String

    init() throws {
        page = try Self.text("Documentation/Internals/Pipeline.md")
    }

    @Test(
        "has each process that the code starts, and each message of a hand-over, and no other one")
    func processes() throws {
        let start = try #require(page.range(of: "| process | started by |")).upperBound
        let table = page[start...].components(separatedBy: "\n\n")[0]
        let rows = table.matches(of: /\n\| `(\w+)` .*/)
        let header = try Self.text("Sources/Ground/CEavesChild/include/guardian.h")
        let roles = header.matches(of: /eaves_role_(\w+) =/).map { String($0.1) }
        #expect(rows.map { String($0.1) } == ["waiter", "host", "successor", "guardian"] + roles)
        let sources = [
            ("eaves_wait", "CEavesChild/Waiter/waiter.c"),
            ("eaves_go_on_in_child", "CEavesChild/Waiter/host.c"),
            ("eaves_guard", "CEavesChild/Guardian/guardian.c"),
        ]
        for (function, file) in sources {
            #expect(table.contains("`\(function)` (`\(Repository.file(file).lastPathComponent)`)"))
            #expect(try Self.text("Sources/Ground/" + file).contains("\(function)("), "\(file)")
        }
        let picture = page[..<start].components(separatedBy: "```text").last ?? ""
        #expect(rows.allSatisfy { picture.contains($0.1) })

        let code = try Self.text("Sources/Running/EavesRestart/HandoverChannel.swift")
        let body = try #require(code.range(of: "enum HandoverMessage: ")).upperBound
        let cases = code[body...].prefix { $0 != "}" }.matches(of: /\n    case (\w+)/)
        let row = try #require(rows.first { $0.1 == "successor" }).0
        let listed = row.components(separatedBy: "in these messages: ").last ?? ""
        #expect(
            listed.components(separatedBy: " | ")[0]
                == cases.map { "`\($0.1)`" }.joined(separator: ", "))
    }

    @Test(
        "stands among ways that lead through few files",
        arguments: [("a swap", 28), ("a hot restart", 14), ("an isolated start", 16)])
    func ways(name: String, most: Int) throws {
        let start = try #require(page.range(of: "## The way of \(name)\n")).upperBound
        let section = page[start...].components(separatedBy: "\n## ")[0]
        let files = Set(section.matches(of: /`(Sources\/[^`]+)`/).map { String($0.1) })
        #expect(!files.isEmpty && files.count <= most, "\(files.sorted())")
        for file in files { _ = try Self.text(file) }
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: Repository.file(path)), as: UTF8.self)
    }
}
