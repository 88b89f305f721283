// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// One of the repository's documents, and what of it can be run.
struct Document: Sendable, CustomTestStringConvertible {
    /// Something to do, in the order of the document.
    enum Action: Hashable, Sendable {
        /// Run a command and compare.
        case run(Step)
        /// Write a file that later commands need: its block's second word names it.
        case write(path: String, text: String)
    }

    /// As seen from the repository's top folder.
    let path: String
    let text: String

    init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    var testDescription: String { path }

    var fences: [Fence] { Fence.all(in: text) }

    var actions: [Action] {
        fences.flatMap { fence -> [Action] in
            if fence.info == ["console"] { return Step.all(in: fence).map(Action.run) }
            guard fence.info.count == 2 else { return [] }
            return [.write(path: fence.info[1], text: fence.lines.joined(separator: "\n") + "\n")]
        }
    }

    /// Whether it shows a command that not every machine has.
    var needsSSHKeygen: Bool {
        actions.contains {
            if case .run(let step) = $0 { step.command.hasPrefix("ssh-keygen ") } else { false }
        }
    }

    /// The README and the pages of `Documentation/`, whose commands are run.
    static let runnable = (["README.md"] + pages).compactMap(Document.init(reading:))

    /// All documents.
    static let all =
        runnable + ["CONTRIBUTING.md", "CHANGELOG.md"].compactMap(Document.init(reading:))

    private init?(reading path: String) {
        guard let data = try? Data(contentsOf: Repository.file(path)) else { return nil }
        self.init(path: path, text: String(decoding: data, as: UTF8.self))
    }

    private static var pages: [String] {
        let folder = Repository.file("Documentation").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".md") }.sorted().map { "Documentation/\($0)" }
    }
}
