// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@Suite("documents", .onOwnThreads)
struct LinkTests {
    @Test("link to pages and headings that exist", arguments: Document.all)
    func links(_ document: Document) {
        let folder = (document.path as NSString).deletingLastPathComponent
        for match in document.text.matches(of: /\]\(([^)\s]+)\)/) {
            let target = String(match.1)
            if target.hasPrefix("https://") { continue }
            let parts = target.split(separator: "#", omittingEmptySubsequences: false)
            let path = (folder as NSString).appendingPathComponent(String(parts[0]))
            let file = parts[0].isEmpty ? document.path : path
            #expect(
                FileManager.default.fileExists(atPath: Repository.path(file)),
                "\(document.path): \(target)")
            if parts.count > 1 {
                let isThere = headings(of: file).contains(String(parts[1]))
                #expect(isThere, "\(document.path): \(target)")
            }
        }
    }

    @Test("name files of the repository that exist", arguments: Document.all)
    func paths(_ document: Document) {
        let paths = /`((?:Sources|Tests|Plugins|Documentation|\.ci)\/[^`\s*<…]*)`/
        for match in text(withoutFences: document).matches(of: paths) {
            let path = String(match.1)
            // Built modules are not part of a clone.
            if path.hasSuffix(".so") { continue }
            #expect(
                FileManager.default.fileExists(atPath: Repository.path(path)),
                "\(document.path): \(path)")
        }
    }

    @Test("name no path of one machine", arguments: Document.all)
    func machinePaths(_ document: Document) {
        let places = document.text.matches(of: /(?:^|[\s"'`(=])(\/(?:home|root|tmp|work|Users)\/)/)
        #expect(places.map { String($0.1) } == [], "\(document.path)")
    }

    /// The anchors that GitHub makes of a document's headings.
    private func headings(of path: String) -> [String] {
        guard let data = try? Data(contentsOf: Repository.file(path)) else { return [] }
        return String(decoding: data, as: UTF8.self)
            .split(separator: "\n")
            .filter { $0.hasPrefix("#") }
            .map { line in
                line.drop { $0 == "#" || $0 == " " }.lowercased()
                    .replacing(" ", with: "-")
                    .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
            }
    }

    private func text(withoutFences document: Document) -> String {
        var isInside = false
        return document.text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { line in
                if line.hasPrefix("```") { isInside.toggle() }
                return !isInside
            }
            .joined(separator: "\n")
    }
}
