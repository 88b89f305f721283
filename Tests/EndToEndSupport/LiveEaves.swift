// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesSystem
import EavesTestSupport
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

    convenience init(
        _ arguments: String..., in folder: URL, environment: [String: String] = [:]
    ) throws {
        try self.init(arguments, in: folder, environment: environment)
    }

    /// - Parameter further: Descriptors that the command gets from 3 on.
    init(
        _ arguments: [String], program: URL = Eaves.executable, in folder: URL,
        environment: [String: String] = [:], further: [Int32] = []
    ) throws {
        self.folder = folder
        let (inputs, outputs) = (try Child.pipe(), try Child.pipe())
        input = inputs.writeEnd
        output = outputs.readEnd
        let written = Child.Stream.descriptor(outputs.writeEnd.fileDescriptor)
        child = try Child(
            program, arguments, in: folder, environment: environment,
            [.descriptor(inputs.readEnd.fileDescriptor), written, written]
                + further.map { .descriptor($0) })
        try inputs.readEnd.close()
        try outputs.writeEnd.close()
    }

    /// A shell that has loaded the users.
    static func shellWithUsers(in folder: URL) throws -> LiveEaves {
        let shell = try LiveEaves("shell", in: folder)
        try shell.type("launch users", thenWaitFor: "1 Alice\n2 Bob\n")
        return shell
    }

    /// Types a line, and reads on until all that should come of it has come.
    func type(_ line: String, thenWaitFor texts: String...) throws {
        try input.write(contentsOf: Data((line + "\n").utf8))
        try wait(forAll: texts)
    }

    /// Reads on until all of some texts have come, in any order.
    func wait(for texts: String...) throws { try wait(forAll: texts) }

    private func wait(forAll texts: [String]) throws {
        try child.guarded {
            while true {
                let found = texts.compactMap { rest.range(of: $0) }
                if found.count == texts.count {
                    rest.removeSubrange(..<(found.map(\.upperBound).max() ?? rest.startIndex))
                    return
                }
                guard readOn() else { throw FixtureError("ended before '\(texts)':\n\(seen)") }
            }
        }
    }

    /// Reads what it prints next.
    ///
    /// - Returns: Whether there was anything.
    private func readOn() -> Bool {
        let new = String(decoding: output.availableData, as: UTF8.self)
        seen += new
        rest += new
        return !new.isEmpty
    }

    /// All that it has printed by now, also what no test has waited for.
    var printed: String {
        _ = isRunning
        return seen
    }

    /// Whether it has not closed its output. Reads on: the command would wait if it had printed more than a pipe holds.
    var isRunning: Bool {
        while Pipe.isReadable(output.fileDescriptor, within: 0) {
            guard readOn() else { return false }
        }
        return true
    }

    /// Runs another command in the same folder.
    @discardableResult
    func beside(_ arguments: String...) throws -> Eaves.Outcome {
        let outcome = try Eaves.run(Eaves.executable, arguments, in: folder)
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
        return outcome
    }

    func signal(_ number: Int32) { child.signal(number) }

    /// Lets a fresh process take over.
    func restart() throws {
        signal(SIGUSR2)
        try wait(for: "this process took over from ")
    }

    /// Stops the process, and waits until all of its threads stand still: they go on until one of them has seen the
    /// signal, which may take a while on a busy machine.
    func halt() throws {
        signal(SIGSTOP)
        let threads = "/proc/\(process)/task"
        try Patience.wait(for: "all threads of \(process) to stand still") {
            try FileManager.default.contentsOfDirectory(atPath: threads).allSatisfy { thread in
                let status = try? String(
                    contentsOfFile: "\(threads)/\(thread)/stat", encoding: .utf8)
                // The state stands behind the name, which is in parentheses.
                return status?.split(separator: ")").last?.hasPrefix(" T") == true
            }
        }
    }

    /// The number of the process.
    var process: Int32 { child.identifier }

    /// A socket that listens, under a high number, as a child can get it.
    static func listen(at path: String) throws -> Int32 {
        let listener = try LocalSocket(listeningAt: path)
        return fcntl(listener.descriptor, F_DUPFD_CLOEXEC, 200)
    }

    /// Closes the input, and waits for the end.
    func finish() throws -> (code: Int32, signal: Int32?) {
        try? input.close()
        return try ending()
    }

    /// Sends a signal, and waits for the end.
    func end(by number: Int32) throws -> (code: Int32, signal: Int32?) {
        signal(number)
        return try ending()
    }

    /// Waits for the end, with the input open.
    func ending() throws -> (code: Int32, signal: Int32?) {
        let ending = try child.wait()
        seen += String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
        return ending
    }
}
