// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Foundation
import Testing
import EavesTestSupport

@testable import EventsPrint

@Suite("The printed events", .onOwnThreads)
struct EventsPrintTests {
    @Test("are one line each, whatever characters their texts contain")
    func line() {
        let event = Event(
            "a\nb", attributes: ["z": "\u{1b}[2J \u{202e}", "a": "Zoë \"\\\""])
        #expect(
            PrintedEvents.line(for: event)
                == #"event a\u{a}b a="Zoë \"\\\"" z="\u{1b}[2J \u{202e}""#)
        #expect(PrintedEvents.line(for: Event("quit")) == "event quit")
    }

    @Test("go to a descriptor, line by line, also from many tasks at once")
    func descriptor() async throws {
        // Processes that other tests start must not hold its end, for which this test waits.
        let (input, output) = try Child.pipe()
        let printer = EventPrinter(descriptor: output.fileDescriptor)
        let events = PrintedEvents { try printer.print($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await events.handle(Event("e", attributes: ["number": "\(number)"]))
                }
            }
            try await group.waitForAll()
        }
        try output.close()
        let all = try input.readToEnd() ?? Data()
        let text = String(decoding: all, as: UTF8.self)
        let lines = Set(text.split(separator: "\n").map(String.init))
        #expect(lines == Set((0..<100).map { "event e number=\"\($0)\"" }))
    }

    @Test("cannot be lost without an error")
    func closed() throws {
        let error = #expect(throws: EventPrinterError.self) {
            try EventPrinter(descriptor: -1).print("event lost")
        }
        #expect(error?.description == "cannot print an event: Bad file descriptor")
    }
}
