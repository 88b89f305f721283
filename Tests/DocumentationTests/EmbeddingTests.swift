// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@Suite("the page about programs", .onOwnThreads)
struct EmbeddingTests {
    @Test("shows code that stands in the stranger's package, where it is built and run")
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
