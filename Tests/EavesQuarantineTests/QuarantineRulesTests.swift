// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import Testing

@testable import EavesQuarantine

@Suite("the rules of the quarantine")
struct QuarantineRulesTests {
    private func crash(_ number: Int) -> ModuleCrash {
        ModuleCrash(time: 100 + number, cause: .signal(11), process: number)
    }

    @Test("count to three for one content of one module")
    func three() {
        var quarantine = Quarantine()
        for number in 1...2 { quarantine.note(crash(number), of: "a", "a.so", sha256: "1") }
        quarantine.note(crash(3), of: "b", "b.so", sha256: "1")
        #expect(quarantine.records.map(\.since) == [nil, nil])
        quarantine.note(crash(4), of: "a", "a.so", sha256: "1")
        #expect(quarantine.record(of: "a", sha256: "1")?.since == 104)
        #expect(
            quarantine.record(of: "a", sha256: "1")?.reason
                == "crashed 3 times, last with SIGSEGV")
        #expect(quarantine.record(of: "b", sha256: "1")?.since == nil)
        #expect(quarantine.record(of: "a", sha256: "2") == nil)
    }

    /// Crashes by the seconds that their processes had run, and how many of them count when the last one has come.
    @Test(
        "count crashes without a good minute between",
        arguments: [
            ([3600, 3600, 3600, 3600], 1), ([3600, 5, 5], 3), ([nil, nil, 59], 3), ([5, 5, 60], 1),
            ([5, 60, 5], 2),
        ] as [([Int?], Int)])
    func goodMinute(uptimes: [Int?], count: Int) throws {
        var quarantine = Quarantine()
        for (number, uptime) in uptimes.enumerated() {
            let crash = ModuleCrash(
                time: 100 + number, cause: .signal(11), process: number, uptime: uptime)
            quarantine.note(crash, of: "a", "a.so", sha256: "1")
        }
        let record = try #require(quarantine.record(of: "a", sha256: "1"))
        #expect(record.crashesInRow == count)
        #expect((record.since != nil) == (count >= 3))
        let text = quarantine.json.text(pretty: false)
        #expect(try Quarantine(JSONNode.parse(Array(text.utf8))) == quarantine)
    }

    @Test("let a module in once more that is kept out for the number of its crashes, and no other")
    func retry() {
        var quarantine = Quarantine()
        for number in 1...3 { quarantine.note(crash(number), of: "a", "a.so", sha256: "1") }
        quarantine.note(crash(4), of: "b", "b.so", sha256: "1")
        quarantine.keepOut("b", "b.so", sha256: "1", since: 7, because: "crashed on probation")
        quarantine.keepOut("c", "c.so", sha256: "1", since: 7, because: "it hangs")
        #expect(quarantine.retry() == ["a"])
        #expect(quarantine.keptOut == ["b", "c"])
        #expect(quarantine.retry() == [])
        quarantine.note(crash(5), of: "a", "a.so", sha256: "1")
        #expect(quarantine.record(of: "a", sha256: "1")?.since == 105)
    }

    @Test("count a crash once, though it is noted twice")
    func twice() {
        var quarantine = Quarantine()
        for _ in 1...5 { quarantine.note(crash(1), of: "a", "a.so", sha256: "1") }
        #expect(quarantine.records.map(\.crashes.count) == [1])
    }

    @Test("forget the crashes of another content, but not that it is kept out")
    func otherContent() {
        var quarantine = Quarantine()
        quarantine.note(crash(1), of: "a", "a.so", sha256: "1")
        quarantine.keepOut("a", "a.so", sha256: "2", since: 7, because: "it crashed")
        quarantine.note(crash(2), of: "a", "a.so", sha256: "3")
        #expect(quarantine.records.map(\.sha256) == ["2", "3"])
        quarantine.note(crash(3), of: "a", "a.so", sha256: "1")
        #expect(quarantine.record(of: "a", sha256: "1")?.crashes == [crash(3)])
    }

    @Test("keep the first reason for keeping a module out")
    func reason() {
        var quarantine = Quarantine()
        quarantine.keepOut("a", "a.so", sha256: "1", since: 7, because: "first")
        quarantine.keepOut("a", "a.so", sha256: "1", since: 8, because: "second")
        #expect(quarantine.records.map(\.reason) == ["first"])
    }

    @Test("clear some, or all")
    func clear() {
        var quarantine = Quarantine()
        for id in ["a", "b", "c"] { quarantine.note(crash(1), of: id, "x.so", sha256: "1") }
        #expect(quarantine.clear(["a", "z"]) == ["a": 1])
        #expect(quarantine.records.map(\.module) == ["b", "c"])
        quarantine.note(crash(2), of: "b", "x.so", sha256: "2", present: "1")
        #expect(quarantine.clear(nil) == ["b": 2, "c": 1])
        #expect(quarantine.isEmpty)
    }

    @Test("survive writing and reading, and refuse other JSON")
    func json() throws {
        var quarantine = Quarantine()
        quarantine.note(crash(1), of: "a", "a \"b\".so", sha256: "1")
        quarantine.keepOut("b", "b.so", sha256: "2", since: 7, because: "it\ncrashed")
        quarantine.contents["a"] = Quarantine.Content(identity: "x", sha256: "1")
        let bytes = Array(quarantine.json.text(pretty: true).utf8)
        #expect(Quarantine(try JSONNode.parse(bytes)) == quarantine)
        for text in [
            #"{}"#, #"{"schema":2,"records":[],"files":[]}"#,
            #"{"schema":1,"records":[{}],"files":[]}"#,
            #"{"schema":1,"records":[],"files":[{"module":"a"}]}"#, #"{"schema":1,"records":[]}"#,
        ] {
            #expect(Quarantine(try JSONNode.parse(Array(text.utf8))) == nil, "\(text)")
        }
    }
}
