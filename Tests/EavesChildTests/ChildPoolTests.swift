// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@Suite(.patiently) struct ChildPoolTests {
    /// Runs shell scripts and returns their reports, by their places in the list.
    private func run(_ scripts: [String], pool: ChildPool) throws -> [Int: ChildReport] {
        var waiting = Array(scripts.enumerated().reversed())
        var reports: [Int: ChildReport] = [:]
        var failure: SystemError?
        pool.run {
            waiting.popLast().map { ($0.offset, ChildCommand("sh", ["-c", $0.element])) }
        } finished: { index, result in
            do throws(SystemError) {
                #expect(reports[index] == nil)
                reports[index] = try result.get()
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return reports
    }

    @Test("children that all write more than a pipe holds do not block each other")
    func noDeadlock() throws {
        let size = 300_000
        let script = "head -c \(size) /dev/zero; head -c \(size) /dev/zero >&2"
        let reports = try run(
            Array(repeating: script, count: 8), pool: ChildPool(limit: 4))
        #expect(reports.count == 8)
        #expect(reports.values.allSatisfy { $0.output.count == 2 * size && !$0.isOutputCut })
    }

    /// Each child waits until the other one has opened its end of a named pipe. If they ran one
    /// after the other, the first one would wait forever.
    @Test("runs children side by side")
    func sideBySide() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let reports = try run(
            ["echo ping >\(path)", "cat \(path)"], pool: ChildPool(limit: 2))
        #expect(reports[1]?.output == Array("ping\n".utf8))
    }

    @Test("runs at most as many children at once as its limit says")
    func limit() throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        let script = """
            mkdir \(path)/$$; n=$(ls \(path) | wc -l); sleep 0.02; rmdir \(path)/$$
            test $n -le 2
            """
        let reports = try run(Array(repeating: script, count: 8), pool: ChildPool(limit: 2))
        #expect(reports.values.map(\.ending) == Array(repeating: .exited(0), count: 8))
    }

    @Test("asks for more work after each child that ends")
    func pulls() throws {
        var step = 0
        var isWaiting = false
        ChildPool(limit: 4).run { () -> (Int, ChildCommand)? in
            guard step < 3, !isWaiting else { return nil }
            isWaiting = true
            return (step, ChildCommand("true"))
        } finished: { (tag: Int, _) in
            #expect(tag == step)
            step += 1
            isWaiting = false
        }
        #expect(step == 3)
    }

    @Test("of a long output, keeps the beginning and the end, and says so")
    func outputLimit() throws {
        let reports = try run(
            ["echo begin; head -c 200000 /dev/zero; echo end; exit 3"],
            pool: ChildPool(limit: 1, outputLimit: 1000))
        let text = String(decoding: reports[0]?.output ?? [], as: UTF8.self)
        #expect(text.hasPrefix("begin\n"))
        #expect(text.hasSuffix("end\n"))
        #expect(text.utf8.count < 1100)
        #expect(reports[0]?.isOutputCut == true)
        #expect(reports[0]?.ending == .exited(3))
    }

    /// The child ends only after its output was seen.
    @Test("passes on output as soon as it comes, all of it")
    func received() throws {
        let ends = try #require(Pipe())
        var command = ChildCommand("sh", ["-c", "echo first; read line; head -c 200000 /dev/zero"])
        command.input = ends.readEnd
        var waiting: ChildCommand? = command
        var received: [UInt8] = []
        ChildPool(limit: 1, outputLimit: 1000).run {
            defer { waiting = nil }
            return waiting.map { ((), $0) }
        } received: { _, piece in
            if received.isEmpty { close(ends.writeEnd) }
            received += piece
        } finished: { _, _ in
        }
        close(ends.readEnd)
        #expect(received.count == 200_006)
        #expect(received.starts(with: "first\n".utf8))
    }

    @Test("does not wait for a process that a child left behind with its output open")
    func leftBehind() throws {
        let report = try ChildPool.run(
            ChildCommand("sh", ["-c", "sleep \(Int(Patience.seconds)) & echo $!; exit 5"]))
        #expect(report.ending == .exited(5))
        let left = String(decoding: report.output.dropLast(), as: UTF8.self)
        let identifier = try #require(pid_t(left))
        // It still runs: the pool has not waited for its end.
        #expect(kill(identifier, SIGKILL) == 0)
    }

    @Test("a child that cannot be started does not stop the others")
    func startFailure() throws {
        var waiting = ["true", "/no/such/program", "false"]
        var endings: [String: ChildEnding] = [:]
        var failures: [String: SystemError] = [:]
        ChildPool(limit: 1).run {
            waiting.popLast().map { ($0, ChildCommand($0)) }
        } finished: { name, result in
            switch result {
            case .success(let report): endings[name] = report.ending
            case .failure(let error): failures[name] = error
            }
        }
        #expect(endings == ["true": .exited(0), "false": .exited(1)])
        #expect(failures.keys.sorted() == ["/no/such/program"])
    }
}

@Suite struct KeptOutputTests {
    private func kept(_ pieces: [String], limit: Int) -> String {
        var output = KeptOutput(limit: limit)
        for piece in pieces { output.append(piece.utf8) }
        #expect(output.count == pieces.map(\.utf8.count).reduce(0, +))
        #expect(output.isCut == (output.count > limit))
        return String(decoding: output.bytes, as: UTF8.self)
    }

    @Test("keeps all that fits, however it comes")
    func fits() {
        #expect(kept([], limit: 4) == "")
        #expect(kept(["abcd"], limit: 4) == "abcd")
        #expect(kept(["a", "bc", "d"], limit: 4) == "abcd")
    }

    @Test("keeps the beginning and the end, and says how much is missing")
    func cut() {
        #expect(kept(["abcdefgh"], limit: 4) == "ab\n[4 bytes are left out here]\ngh")
        #expect(kept("abcde".map(String.init), limit: 4) == "ab\n[1 bytes are left out here]\nde")
        let letters = Array(repeating: "0123456789", count: 100)
        #expect(kept(letters, limit: 20).hasSuffix("\n0123456789"))
    }
}
