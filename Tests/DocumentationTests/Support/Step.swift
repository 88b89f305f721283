// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A command that a document shows, and what comes of it.
struct Step: Hashable, Sendable {
    let command: String
    /// What the terminal shows: standard output and standard error, line by line.
    var output: [String] = []
    /// From a line `# exit code: 64` behind the output; without one it is 0.
    var exitCode: Int32 = 0
    /// Where it stands in the document, from 1 on.
    let line: Int

    /// The steps of a `console` block: lines with `$ ` before them, each with its output.
    static func all(in fence: Fence) -> [Step] {
        var steps: [Step] = []
        for (index, line) in fence.lines.enumerated() {
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2)), line: fence.line + index + 1))
            } else if steps.isEmpty {
                // A block that does not begin with a command shows a listing.
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
