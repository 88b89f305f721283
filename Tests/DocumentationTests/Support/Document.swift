// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

/// One of the repository's documents, with the commands and files that it shows.
struct Document: Sendable, CustomTestStringConvertible {
    /// Something to do, in the order of the document.
    enum Action: Hashable, Sendable {
        /// Run a command, and compare its output.
        case run(Step)
        /// Write a file that later commands need. The second word of its block is the path.
        case write(path: String, text: String)
    }

    /// The path, relative to the repository's top folder.
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

    /// A terminal in a copy of the sample, if the document says so, or of the repository. All modules are built there,
    /// unless the document shows how they are built.
    var session: Session {
        get throws {
            let isSample = text.contains("../Tests/Sample/README.md)")
            let project = try (isSample ? BuiltProject.sample : BuiltProject.shipped).get()
            let isBuilt = !text.contains("\nbuilt common ")
            return try Session(project: URL(fileURLWithPath: project.path), isBuilt: isBuilt)
        }
    }

    /// Whether it runs `ssh-keygen`, which not every machine has.
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
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".md") }.sorted().map { "Documentation/\($0)" }
    }
}

/// A fenced block of a Markdown document.
struct Fence: Hashable, Sendable {
    /// The words after the opening fence, such as `console` or `swift Weather/Entry.swift`.
    let info: [String]
    let lines: [String]
    /// The line number of the opening fence, from 1 on.
    let line: Int

    /// All fenced blocks of a text, in order.
    static func all(in text: String) -> [Fence] {
        var fences: [Fence] = []
        var open: (info: [String], line: Int)?
        var content: [String] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if !line.hasPrefix("```") {
                if open != nil { content.append(String(line)) }
            } else if let start = open {
                fences.append(Fence(info: start.info, lines: content, line: start.line))
                open = nil
            } else {
                let words = line.drop { $0 == "`" }.split(separator: " ").map(String.init)
                open = (words, index + 1)
                content = []
            }
        }
        return fences
    }
}

/// A command that a document shows, with its output and exit code.
struct Step: Hashable, Sendable {
    let command: String
    /// The lines of standard output and standard error, as a terminal shows them.
    var output: [String] = []
    /// 0, unless a line such as `# exit code: 64` follows the output.
    var exitCode: Int32 = 0
    /// The line number of the command in the document, from 1 on.
    let line: Int

    /// The steps of a `console` block. A command is a line that begins with `$ `; its output follows.
    static func all(in fence: Fence) -> [Step] {
        var steps: [Step] = []
        for (index, line) in fence.lines.enumerated() {
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2)), line: fence.line + index + 1))
            } else if steps.isEmpty {
                // A block that does not begin with a command is a listing.
                return []
            } else if let code = exitCode(line) {
                steps[steps.count - 1].exitCode = code
            } else {
                steps[steps.count - 1].output.append(line)
            }
        }
        return steps
    }

    private static func exitCode(_ line: String) -> Int32? {
        let mark = "# exit code: "
        return line.hasPrefix(mark) ? Int32(line.dropFirst(mark.count)) : nil
    }
}
