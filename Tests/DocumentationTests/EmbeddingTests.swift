// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@Suite("the pages about programs", .onOwnThreads)
struct EmbeddingTests {
    @Test("show the shortest host, which is built and run, too")
    func shortest() throws {
        let page = try #require(Document.all.first { $0.path == "README.md" })
        let host = try #require(page.fences.first { $0.info == ["swift"] })
        let source = try String(
            contentsOf: Repository.file("Tests/Stranger/Sources/StrangerServer/main.swift"),
            encoding: .utf8)
        #expect(host.lines.count == 4)
        #expect(source.contains(host.lines.map { "    " + $0 }.joined(separator: "\n")))
    }

    @Test("show code that stands in the stranger's package, where it is built and run")
    func code() throws {
        let page = try #require(
            Document.all.first { $0.path == "Documentation/Embedding.md" })
        let package = Repository.file("Tests/Stranger")
        let files = [
            "Package.swift", "Sources/acme/main.swift", "Sources/StrangerServer/main.swift",
        ]
        let sources = try files.map {
            try String(contentsOf: package.appendingPathComponent($0), encoding: .utf8)
        }
        let blocks = page.fences.filter { $0.info == ["swift"] }
        #expect(blocks.count > 4)
        for block in blocks {
            let code = block.lines.joined(separator: "\n")
            #expect(sources.contains { $0.contains(code) }, "\(page.path):\(block.line)")
        }
    }
}
