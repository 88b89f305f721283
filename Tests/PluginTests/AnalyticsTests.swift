// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTestSupport
import Foundation
import Testing

@testable import Analytics

@Suite("The events", .onOwnThreads)
struct AnalyticsTests {
    @Test("an event is one line of JSON, whatever characters its texts contain")
    func line() throws {
        let event = Event("a \"b\"\n", attributes: ["z": "\u{0}\u{1f} ", "a": "ü\\"])
        let json = EventLine(event: event, time: 12).json
        #expect(!json.contains("\n"))
        #expect(json.hasPrefix(#"{"time":12,"event":"a \"b\"\u000a","attributes":{"a":"#))
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
        let attributes = (object as? [String: Any])?["attributes"] as? [String: String]
        #expect(attributes == event.attributes)
    }

    @Test("appends a line for each event, also from many tasks at once")
    func appends() async throws {
        let folder = try TemporaryFolder()
        let events = EventFile(path: folder.file("events.jsonl"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask { try await events.handle(Event("event \(number)")) }
            }
            try await group.waitForAll()
        }
        let lines = try folder.read("events.jsonl").split(separator: "\n")
        #expect(lines.count == 100)
        #expect(lines.allSatisfy { $0.hasPrefix("{\"time\":") && $0.hasSuffix("}") })
    }

    @Test("an error names the file that cannot be written")
    func unwritable() async throws {
        let events = EventFile(path: "/nowhere/events.jsonl")
        let error = await #expect(throws: EventFileError.self) {
            try await events.handle(Event("lost"))
        }
        #expect(
            error?.description
                == "cannot write /nowhere/events.jsonl: No such file or directory")
    }
}
