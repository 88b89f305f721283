// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesSystem
import Synchronization
import Testing

@testable import EavesIsolation

@Suite("LentConsole")
struct LentConsoleTests {
    /// A console with a person who types when the test says so.
    private final class SlowConsole: Console {
        let isInteractive = true
        let asked = Awaited<Bool>()
        let line = Awaited<String>()
        private let texts = Mutex("")
        private let asks = Mutex(0)
        /// How often a line was asked for.
        var reads: Int { asks.withLock(\.self) }

        var output: String { texts.withLock(\.self) }

        func readLine() throws(ConsoleError) -> String? {
            asks.withLock { $0 += 1 }
            asked.set(true)
            return line.wait()
        }
        func write(_ text: String) throws(ConsoleError) { texts.withLock { $0 += text } }
        func warn(_ text: String) { texts.withLock { $0 += "(\(text))" } }
    }

    private let console = SlowConsole()

    @Test("does one thing after the other")
    func order() async throws {
        let lent = LentConsoles().lend(console)
        try await lent.write("a")
        try await lent.warn("b")
        try await lent.write("c")
        try await lent.flush()
        await lent.end()
        #expect(console.output == "a(b)c")
    }

    @Test("has each text when the call of the feature returns, however long it is")
    func written() async throws {
        let lent = HostInstances.Lent([])
        let sockets = try LocalSocket.pair()
        let channels = try [sockets.own, sockets.other].map { try MessageChannel($0) }
        let peers = channels.map {
            CallPeer(of: "module", on: $0, providing: HostInstances(lent, nil))
        }
        for peer in peers { try DetachedThread.start { try? peer.receive() } }
        let launch = Launch(arguments: [], console: console)
        let request = LaunchRequest(launch, on: lent.consoles.lend(console).number)
        let remote = RemoteConsole(request, of: peers[1])
        let text = String(repeating: "é", count: 1 << 20 + 1)
        let outputs = try await DetachedThread.result { [console] in
            try ["a", "", text].map {
                try remote.write($0)
                return console.output
            }
        }
        #expect(outputs == ["a", "a", "a" + text])
        for channel in channels { channel.end() }
    }

    @Test("ends although it waits for a line, and takes nothing more")
    func ending() async throws {
        let consoles = LentConsoles()
        let lent = consoles.lend(console)
        #expect(consoles[lent.number] === lent)
        let reading = Task { try await lent.readLine() }
        _ = try await DetachedThread.result { [console] in console.asked.wait() }
        await consoles.end(lent)
        #expect(consoles[lent.number] == nil)
        await #expect(throws: ConsoleError.self) { try await lent.write("later") }
        await #expect(throws: ConsoleError.self) { try await lent.readLine() }
        await #expect(throws: ConsoleError.self) { try await reading.value }
        #expect(console.output.isEmpty)
        console.line.set("a line")
    }

    @Test("gives each of several readers a line")
    func readers() async throws {
        let lent = LentConsoles().lend(console)
        console.line.set("a line")
        let lines = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<20 { group.addTask { try await lent.readLine() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(lines == Array(repeating: "a line", count: 20))
        #expect(console.reads == 20)
        await lent.end()
    }

    @Test("gives a line that a crashed feature had asked for to the next one")
    func keptLine() async throws {
        for comesBefore in [true, false] {
            let (consoles, console) = (LentConsoles(), SlowConsole())
            let crashed = consoles.lend(console)
            let reading = Task { try await crashed.readLine() }
            _ = try await DetachedThread.result { console.asked.wait() }
            await consoles.end(crashed)
            await #expect(throws: ConsoleError.self) { try await reading.value }
            let next = consoles.lend(console)
            if comesBefore { console.line.set("a line") }
            let second = Task { try await next.readLine() }
            try await next.write("more")
            if !comesBefore { console.line.set("a line") }
            #expect(try await second.value == "a line")
            #expect(console.reads == 1)
            await consoles.end(next)
        }
    }
}
