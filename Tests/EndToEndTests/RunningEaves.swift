// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesSystem
import EavesTestSupport
import Foundation

@testable import EndToEndSupport

/// A command that is still running and waits for input.
final class RunningEaves {
    private let child: Child
    private let input: FileHandle
    private let output: FileHandle
    private let files: TemporaryFolder
    private var seen = ""

    init(_ arguments: String..., in folder: URL) throws {
        files = try TemporaryFolder()
        let (inputs, outputs) = (try Child.pipe(), try Child.pipe())
        input = inputs.writeEnd
        output = outputs.readEnd
        child = try Child(
            Eaves.executable, arguments, in: folder,
            [
                .descriptor(inputs.readEnd.fileDescriptor),
                .descriptor(outputs.writeEnd.fileDescriptor),
                .writing(files.url.appendingPathComponent("errors").path),
            ])
        // As long as these ends are open here, neither side sees that the other has closed its own.
        try inputs.readEnd.close()
        try outputs.writeEnd.close()
    }

    /// Reads the output until it ends with a line.
    func wait(forLine line: String) throws {
        let former = seen
        seen += try child.read(output, until: "'\(line)'") {
            (former + $0).hasSuffix(line + "\n")
        } more: {
            former + ((try? files.read("errors")) ?? "")
        }
    }

    /// Writes the last input to the command and waits for its end. Its output has to fit into a pipe.
    func finish(input text: String) throws -> Eaves.Outcome {
        try input.write(contentsOf: Data(text.utf8))
        try input.close()
        let (code, signal) = try child.wait()
        seen += String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
        return Eaves.Outcome(
            code: code, signal: signal, output: seen, errors: try files.read("errors"))
    }
}
