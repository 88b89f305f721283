// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
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

@Suite("the package that shows how to test a module", .onOwnThreads, .patiently)
struct PackageSnippetTests {
    /// The code that the page's test needs besides the code that the page shows.
    private static let doubles = """
        import CommonInterface
        import EavesInterface
        import Synchronization
        import Testing

        @testable import Weather

        final class KeptOutput: Console {
            private let kept = Mutex("")
            var text: String { kept.withLock { $0 } }
            var isInteractive: Bool { false }

            func write(_ text: String) { kept.withLock { $0 += text } }
            func warn(_ text: String) {}
            func readLine() -> String? { nil }
        }

        struct OneUser: UserService {
            func users() -> [User] { [User(id: 1, name: "Alice")] }
        }


        """

    @Test("is built with the page's module, and runs the page's test")
    func package() throws {
        let page = try #require(
            Document.all.first { $0.path == "Documentation/WritingAModule.md" })
        let manifest = try #require(
            page.fences.first { fence in
                fence.info == ["swift"] && fence.lines.contains { $0.contains("../eaves") }
            })
        let test = try #require(
            page.fences.first { $0.info == ["swift"] && $0.lines[0].hasPrefix("@Test(") })

        let session = try Session()
        try session.write(
            "weather/Package.swift", manifest.lines.joined(separator: "\n") + "\n")
        try session.write(
            "weather/Tests/WeatherTests/WeatherTests.swift",
            Self.doubles + test.lines.joined(separator: "\n") + "\n")
        for case .write(let path, let text) in page.actions where path.hasPrefix("Weather/") {
            guard path != "Weather/Entry.swift" else { continue }
            try session.write("weather/Sources/\(path)", text)
        }
        let line = """
            ln -s '\(Repository.path)' eaves && cp -r Plugins/Common weather/Sources/Common \
            && cd weather && rm Sources/Common/baseline.json && swift test
            """
        let outcome = try session.run(line)
        #expect(outcome.exitCode == 0, "\(outcome.output)")
        #expect(outcome.output.contains("Test \"names the city\" passed"), "\(outcome.output)")
        #expect(!outcome.output.contains("warning:"), "\(outcome.output)")
    }
}
