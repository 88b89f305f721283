// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Foundation
import Glibc

/// A command that stays up: its two outputs come through one pipe, in the order in which it writes them.
final class LiveEaves {
    private let child: Child
    private let input: FileHandle
    private let output: FileHandle
    private let folder: URL
    /// All that it has printed.
    private(set) var seen = ""
    /// The part of it that no test has waited for yet.
    private var rest = ""

    convenience init(_ arguments: String..., in folder: URL) throws {
        try self.init(arguments, in: folder)
    }

    init(_ arguments: [String], in folder: URL) throws {
        self.folder = folder
        let (inputs, outputs) = (try Child.pipe(), try Child.pipe())
        input = inputs.writeEnd
        output = outputs.readEnd
        let written = Child.Stream.descriptor(outputs.writeEnd.fileDescriptor)
        child = try Child(
            Eaves.executable, arguments, in: folder,
            [.descriptor(inputs.readEnd.fileDescriptor), written, written])
        try inputs.readEnd.close()
        try outputs.writeEnd.close()
    }

    /// Types a line.
    func type(_ line: String) throws {
        try input.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Reads on until a text has come.
    func wait(for text: String) throws {
        let child = child
        let guardian = DispatchWorkItem { child.end() }
        DispatchQueue.global().asyncAfter(deadline: .now() + Eaves.limit, execute: guardian)
        defer { guardian.cancel() }
        while true {
            if let range = rest.range(of: text) {
                rest.removeSubrange(..<range.upperBound)
                return
            }
            let more = output.availableData
            guard !more.isEmpty else {
                throw FixtureFault(what: "ended before '\(text)':\n\(seen)")
            }
            let new = String(decoding: more, as: UTF8.self)
            seen += new
            rest += new
        }
    }

    /// Runs another command in the same folder.
    @discardableResult
    func beside(_ arguments: String...) throws -> Eaves.Outcome {
        let outcome = try Eaves.run(Eaves.executable, arguments, in: folder)
        guard outcome.code == 0 else { throw FixtureFault(what: "\(outcome)") }
        return outcome
    }

    func signal(_ number: Int32) { child.signal(number) }

    /// Closes the input, and waits for the end.
    func finish() throws -> (code: Int32, signal: Int32?) {
        try? input.close()
        return try ending()
    }

    /// Waits for the end, with the input open.
    func ending() throws -> (code: Int32, signal: Int32?) {
        let ending = try child.wait()
        seen += String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
        return ending
    }
}
