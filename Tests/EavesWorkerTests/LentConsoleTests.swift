// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesSystem
import Synchronization
import Testing

@testable import EavesWorker

@Suite("LentConsole")
struct LentConsoleTests {
    /// A console with a person who types when the test says so.
    private final class SlowConsole: Console {
        let isInteractive = true
        let asked = Awaited<Bool>()
        let line = Awaited<String>()
        private let texts = Mutex("")

        var output: String { texts.withLock(\.self) }

        func readLine() throws(ConsoleError) -> String? {
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
        console.line.set("a line")
        #expect(try await reading.value == "a line")
        #expect(console.output.isEmpty)
    }
}
