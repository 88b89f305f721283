// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
package import EavesDiagnostics
package import EavesProcess
package import EavesSystem
package import EavesTrust
import Glibc

/// Runs graphviz's `dot`, which makes a picture of a text in its language.
package struct Graphviz: Sendable {
    private let executable: String
    private var environment: Environment

    /// Finds the tool, and checks who can change it.
    package init(_ environment: Environment = .current) throws(GraphvizError) {
        let finder = ToolFinder(searchPath: environment["PATH"])
        do throws(ToolError) {
            executable = try finder.find("dot")
        } catch {
            throw .tool(error)
        }
        self.environment = environment
        self.environment["PATH"] = finder.searchPath
    }

    /// Draws a picture.
    ///
    /// - Returns: An SVG file.
    package func svg(of text: String) throws(GraphvizError) -> [UInt8] {
        let report: ChildReport
        let svg: [UInt8]
        do throws(SystemError) {
            let input = try MemoryFile.sealed(Array(text.utf8), name: "graph.dot")
            lseek(input.descriptor, 0, SEEK_SET)
            let output = try MemoryFile.open("graph.svg")
            report = try run(reading: input, writing: output)
            svg = try output.bytes(at: 0, count: output.status().size)
        } catch {
            throw .system(error)
        }
        guard report.ending.isSuccess, !svg.isEmpty else {
            throw .failed(
                executable, report.ending, output: String(decoding: report.output, as: UTF8.self))
        }
        return svg
    }

    /// Borrows the files, so that they stay open until the tool has ended. What the tool prints is about the text; the
    /// picture goes to a descriptor of its own. A signal that ends this process ends the tool first.
    private func run(
        reading input: borrowing OpenFile, writing output: borrowing OpenFile
    ) throws(SystemError) -> ChildReport {
        var command = ChildCommand(
            executable, ["-Tsvg", "-o", "/dev/fd/3"], environment: environment)
        command.input = input.descriptor
        command.inherited = output.descriptor
        let dot = command
        return try Interrupts.deferred { interrupts throws(SystemError) in
            try ChildPool.run(dot, interrupts: interrupts)
        }
    }
}

package enum GraphvizError: Error, Hashable, Sendable {
    /// The tool is not installed, or others can change it.
    case tool(ToolError)
    case system(SystemError)
    /// The tool did not make a picture, and printed this.
    case failed(String, ChildEnding, output: String)

    package var isMissing: Bool {
        if case .tool(.missing) = self { true } else { false }
    }
}

extension GraphvizError: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .tool(.missing):
            Diagnostic(
                "there is no 'dot' on PATH, which makes pictures in SVG",
                fix: "install graphviz (on Debian: apt-get install graphviz)",
                code: .notFound)
        case .tool(.untrusted(let error)): error.diagnostic
        case .system(let error): error.diagnostic
        case .failed(let tool, let ending, let output):
            Diagnostic(
                "\(tool) made no picture, and ended with \(ending)"
                    + (output.isEmpty ? "" : ": \(output.indented)"),
                fix: "see what it says about the text of 'eaves graph'", code: .crashed)
        }
    }
}
