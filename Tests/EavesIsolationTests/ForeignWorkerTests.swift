// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import EavesProcess
import EavesSystem
import EavesTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import EavesIsolation

/// A program in C speaks what Documentation/Internals/Wire.md describes.
@Suite("a worker in C", .onOwnThreads)
struct ForeignWorkerTests {
    /// The host's service that the worker calls.
    private struct Rates: InstanceProvider {
        func instance(
            of service: String, named name: String?
        ) async throws -> (target: WireTarget, requirements: Int) {
            guard service == "Shop.Rates", name == nil else {
                throw ConsoleError("no service \(service)")
            }
            return ({ try .value(2 * (try $1.read(Int.self))) }, 1)
        }

        func call(_ requirement: Int, _ arguments: WireReader) async throws -> WireAnswer {
            throw ConsoleError("no requirement \(requirement)")
        }
    }

    /// The compiled program.
    private static let program = Result {
        let folder = try TemporaryFolder()
        let source = Repository.file("Tests/EavesIsolationTests/Fixtures/worker.c").path
        try CCompiler.first().run(
            ["-O1", "-Wall", "-Wextra", "-Werror", "-o", folder.file("w"), source])
        return (folder, folder.file("w"))
    }

    private let child: ChildProcess
    private let channel: MessageChannel
    private let peer: CallPeer
    private let returned = Awaited<Bool>()

    init() throws {
        let program = try Self.program.get().1
        let sockets = try LocalSocket.pair()
        defer { close(sockets.other) }
        child = try ChildProcess(
            ChildCommand(program, [], environment: .current),
            [.empty, .descriptor(2), .descriptor(2), .descriptor(sockets.other)])
        try WorkerRequest(
            id: "shop", path: "shop", interfaces: [], requires: ["Shop.Rates"], settings: "{}",
            directory: "/"
        ).send([], to: sockets.own)
        let channel = try MessageChannel(sockets.own)
        let peer = CallPeer(of: "shop", on: channel, providing: Rates())
        (self.channel, self.peer) = (channel, peer)
        try DetachedThread.start { [returned] in
            try? peer.receive()
            peer.end(.stopped)
            returned.set(true)
        }
    }

    private func withCounter(_ body: (RemoteHandle) async throws -> Void) async throws {
        do {
            try await body(
                RemoteHandle("Shop.Counter", named: nil, over: Shared<CallPeer?>(peer)))
        }
        channel.end()
        // At once: the monitor of exit tests keeps a processor busy until the status of an ended child is taken.
        #expect(child.wait() == .exited(0))
        _ = try await DetachedThread.result { [returned] in returned.wait() }
    }

    private func arguments(_ values: any Encodable...) throws -> WireWriter {
        let writer = WireWriter()
        for value in values { try writer.write(value) }
        return writer
    }

    @Test("reports what it provides")
    func report() async throws {
        try await withCounter { _ in
            let report = try await DetachedThread.result { [peer] in
                try peer.callAndWait(WorkerFunction.begin.rawValue, WireWriter())
                    .read(WorkerReport.self)
            }
            #expect(report.services.map(\.service) == ["Shop.Counter"])
            #expect(report.unenforced.isEmpty)
        }
    }

    @Test("answers calls with numbers and texts")
    func calls() async throws {
        try await withCounter { counter in
            for (first, second) in [(1, 2), (-1, -500), (1 << 40, -64), (Int.max, Int.min)] {
                let sum = try await counter.call(
                    0, arguments(first, second), returning: Int.self)
                #expect(sum == first + second)
            }
            for name in ["Ada", "", String(repeating: "ä", count: 100)] {
                let text = try await counter.call(1, arguments(name), returning: String.self)
                #expect(text == "hello, \(name)")
            }
        }
    }

    @Test("fails with words that arrive")
    func failures() async throws {
        try await withCounter { counter in
            do {
                _ = try await counter.call(2, arguments("no bread"))
                Issue.record("no error")
            } catch let error as RemoteCallError {
                #expect(
                    error.reason == .failed(type: "Shop.Failure", description: "no bread"))
            }
        }
    }

    @Test("sends a stream as far as it is asked to")
    func streams() async throws {
        try await withCounter { counter in
            let next = try await counter.stream(3, arguments(1_000))
            var count = 0
            while let number = try await next()?.read(Int.self) {
                #expect(number == count)
                count += 1
            }
            #expect(count == 1_000)
        }
    }

    @Test("calls a service of its host")
    func calling() async throws {
        try await withCounter { counter in
            for number in [0, 21, -7] {
                let price = try await counter.call(4, arguments(number), returning: Int.self)
                #expect(price == 2 * number + 1)
            }
        }
    }
}
