// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import EavesTrust
import Glibc
import Testing

@testable import EavesQuarantine

@Suite("the quarantine on the disk")
struct QuarantineStoreTests {
    private let folder: TemporaryFolder
    private let store: QuarantineStore
    private let module: SuspectModule

    init() throws {
        folder = try TemporaryFolder()
        store = QuarantineStore(Store(of: folder.path, .own))
        let file = try folder.write("one", to: "Plugins/a.so")
        module = SuspectModule(id: "a", path: "Plugins/a.so", file: file)
    }

    /// The line that a process writes when it crashes with the module loaded.
    private func line(_ number: Int, content: String = "one") -> String {
        let beginning = CrashLogEntry.beginning(module, SHA256.digest(of: Array(content.utf8)))
        return beginning + #","signal":11,"time":\#(100 + number),"process":\#(number)}"# + "\n"
    }

    private func write(_ text: String, to name: String) throws {
        try folder.write(text, to: ".eaves/quarantine/" + name)
    }

    private var place: String { folder.file(".eaves/quarantine") }

    private func has(_ name: String) -> Bool { folder.has(".eaves/quarantine/" + name) }

    private func read(errors expected: [QuarantineError] = []) -> Quarantine {
        var errors: [QuarantineError] = []
        let quarantine = store.read(&errors) ?? Quarantine()
        #expect(errors == expected)
        return quarantine
    }

    /// The processes of the crashes that were counted.
    private func crashes(in quarantine: Quarantine) -> [Int] {
        quarantine.records.flatMap { $0.crashes.map(\.process) }
    }

    /// Clears, and returns how often each module had crashed.
    private func clear(
        _ modules: Set<String>? = nil, errors expected: [QuarantineError] = []
    ) throws -> [String: Int] {
        var errors: [QuarantineError] = []
        defer { #expect(errors == expected) }
        return try store.clear(modules, &errors)
    }

    private func isKeptOut() -> Bool {
        var quarantine = read()
        return store.obstacle(to: module, in: &quarantine) != nil
    }

    @Test("keeps the newest of the whole reports of crashes")
    func wholeReports() throws {
        for number in 1...10 {
            let file = try folder.write("report", to: ".eaves/quarantine/crash-\(number).txt")
            var times = [
                timespec(tv_sec: number, tv_nsec: 0), timespec(tv_sec: number, tv_nsec: 0),
            ]
            #expect(utimensat(AT_FDCWD, file, &times, 0) == 0)
        }
        try write(line(1), to: "crashes.log")
        #expect(crashes(in: read()) == [1])
        let left = (1...10).filter { has("crash-\($0).txt") }
        #expect(left == Array(3...10))
    }

    @Test("does not exist before a module has crashed")
    func nothing() throws {
        #expect(!store.isThere)
        #expect(read().isEmpty)
        #expect(try clear().isEmpty)
        #expect(!folder.has(".eaves"))
    }

    @Test(
        "is cleared with the crashes that no process has counted yet",
        arguments: [nil, ["a", "b"]])
    func clearsLog(modules: Set<String>?) throws {
        try write(line(1), to: "crashes.log.taken")
        try write(line(2) + line(3) + "damaged\n", to: "crashes.log")
        let error = QuarantineError.damagedLog(
            place + "/crashes.log", keptAs: place + "/crashes.damaged.log")
        #expect(try clear(modules, errors: [error]) == ["a": 3])
        #expect(!has("crashes.log") && !has("crashes.log.taken"))
        #expect(!isKeptOut() && read().isEmpty)
    }

    @Test("counts the lines of the log once")
    func log() throws {
        try write(line(1) + line(2), to: "crashes.log")
        #expect(store.isThere)
        #expect(crashes(in: read()) == [1, 2])
        #expect(!has("crashes.log") && !has("crashes.log.taken"))
        #expect(crashes(in: read()) == [1, 2])
        #expect(!isKeptOut())
        try write(line(3), to: "crashes.log")
        #expect(isKeptOut())
        #expect(
            read().records.map(\.reason) == ["crashed 3 times, last with SIGSEGV"])
    }

    @Test(
        "a log that was left half taken over is counted, and so is the one that came after it",
        arguments: [1, 3])
    func halfTaken(count: Int) throws {
        // A process set the log aside, and ended before it counted the crashes. Others may have crashed since.
        try write((1...count).map { line($0) }.joined(), to: "crashes.log.taken")
        let later = (1...3).dropFirst(count).map { line($0) }
        if !later.isEmpty { try write(later.joined(), to: "crashes.log") }
        #expect(crashes(in: read()) == [1, 2, 3])
        #expect(!has("crashes.log.taken") && !has("crashes.log"))
        #expect(isKeptOut())
    }

    @Test("counts exits like crashes, and tells them apart")
    func exits() throws {
        let beginning = CrashLogEntry.beginning(module, SHA256.digest(of: Array("one".utf8)))
        for (number, code) in [(1, 0), (2, -1), (3, 3)] {
            let rest = #","exit":\#(code),"process":\#(number),"time":\#(100 + number)}"#
            try write(beginning + rest + "\n", to: "crashes.log")
            #expect(crashes(in: read()) == Array(1...number))
        }
        let record = try #require(read().records.first)
        #expect(record.crashes.map(\.cause) == [.exit(0), .exit(-1), .exit(3)])
        #expect(
            record.crashes.map(\.cause.description) == ["exit code 0", "quick_exit", "exit code 3"])
        #expect(record.reason == "crashed 3 times, last with exit code 3")
    }

    @Test("a log that was counted and not removed is not counted again")
    func counted() throws {
        try write(line(1) + line(2), to: "crashes.log")
        _ = read()
        // A process ended after it had written the records, before it removed the log.
        try write(line(1) + line(2), to: "crashes.log.taken")
        try write("", to: "crashes.log")
        #expect(crashes(in: read()) == [1, 2])
        #expect(!isKeptOut())
    }

    @Test("where the log cannot be counted, the records of earlier commands still count")
    func logInTheWay() throws {
        #expect(try store.keepOut(module, because: "it crashed", since: 7))
        try folder.createFolder(".eaves/quarantine/crashes.log.taken")
        try write(line(1), to: "crashes.log")
        let error = QuarantineError.store(
            .system(SystemError(.read, place + "/crashes.log.taken", .isDirectory)))
        #expect(read(errors: [error]).records.map(\.since) == [7])
    }

    @Test("a log with damaged lines is kept aside, and its other lines are counted")
    func damagedLog() throws {
        try write("half a li\n" + line(1), to: "crashes.log")
        let kept = place + "/crashes.damaged.log"
        #expect(
            crashes(in: read(errors: [.damagedLog((place + "/crashes.log"), keptAs: kept)])) == [1])
        #expect(has("crashes.damaged.log") && !has("crashes.log") && !has("crashes.log.taken"))
        #expect(crashes(in: read()) == [1])
        for line in [
            "{}", #"{"module":"a"}"#, line(2).replacing(#""time":102,"#, with: ""),
            line(2).replacing("11", with: "11.5"), "[]", "null",
        ] {
            #expect(CrashLogEntry(line.utf8) == nil, "\(line)")
        }
        #expect(CrashLogEntry(line(2).utf8)?.crash.process == 2)
    }

    @Test("counts a crash for the content that crashed, not for the file that lies there now")
    func contents() throws {
        let (one, two) = (digest("one"), digest("two"))
        // Written again, with the same content.
        try folder.write("one", to: "Plugins/a.so")
        try write(line(1), to: "crashes.log")
        #expect(read().records.map(\.sha256) == [one])
        // Another content is there now, which has not crashed.
        try folder.write("two", to: "Plugins/a.so")
        try write(line(2) + line(3), to: "crashes.log")
        #expect(crashes(in: read()) == [1, 2, 3])
        #expect(read().records.map(\.sha256) == [one])
        #expect(!isKeptOut())
        // It crashes as well: the count of the first content, which is kept out, stays.
        try write(line(4, content: "two"), to: "crashes.log")
        #expect(read().records.map(\.sha256) == [one, two])
        #expect(!isKeptOut())
        try folder.write("one", to: "Plugins/a.so")
        #expect(isKeptOut())
        // A file that is gone may return.
        try Files.remove(module.file)
        try write(line(5), to: "crashes.log")
        #expect(crashes(in: read()) == [1, 2, 3, 5])
    }

    @Test(
        "counts a generation that is no longer on the disk, and forgets it once another one crashes"
    )
    func earlierGeneration() throws {
        try folder.write("three", to: "Plugins/a.so")
        try write(line(1, content: "two"), to: "crashes.log")
        #expect(read().records.map(\.sha256) == [digest("two")])
        try write(line(2, content: "three"), to: "crashes.log")
        #expect(read().records.map(\.sha256) == [digest("three")])
    }

    @Test("keeps the generation and the feature of a crash")
    func generation() throws {
        let text = line(1).replacing(#""time""#, with: #""generation":7,"feature":"a b","time""#)
        try write(text, to: "crashes.log")
        #expect(store.uncounted.map(\.crash.generation) == [7])
        #expect(store.uncounted.map(\.sha256) == [digest("one")])
        // From the log, and then from the file of records.
        for _ in 0..<2 {
            let crash = try #require(read().records.first?.crashes.first)
            #expect(crash.generation == 7 && crash.feature == "a b")
        }
    }

    private func digest(_ content: String) -> String { SHA256.digest(of: Array(content.utf8)).hex }

    @Test("keeps a module out with the content that it has, until it is cleared")
    func keepOut() throws {
        #expect(try store.keepOut(module, because: "it crashed", since: 7))
        #expect(isKeptOut())
        #expect(
            read().records.first?.message == "quarantined since 1970-01-01 00:00:07 UTC: it crashed"
        )
        let other = SuspectModule(id: "b", path: module.path, file: module.file)
        var quarantine = read()
        #expect(store.obstacle(to: other, in: &quarantine) == nil)
        try folder.write("two", to: "Plugins/a.so")
        #expect(!isKeptOut())
        try folder.write("one", to: "Plugins/a.so")
        #expect(isKeptOut())
        #expect(try clear(["b"]).isEmpty)
        #expect(try clear(["a", "b"]) == ["a": 0])
        #expect(!isKeptOut())
        try Files.remove(module.file)
        #expect(try !store.keepOut(module, because: "it crashed", since: 7))
    }

    @Test("hashes a file again when it has changed, and not before")
    func remember() throws {
        #expect(try store.keepOut(module, because: "it crashed", since: 7))
        var quarantine = read()
        let learned = try #require(quarantine.contents["a"])
        #expect(learned.identity == FileIdentity(try FileStatus(path: module.file)).text)
        // A digest that is known is believed while the file is as it was.
        quarantine.contents["a"]?.sha256 = "other"
        #expect(store.obstacle(to: module, in: &quarantine) == nil)
        try store.remember(["a": quarantine.contents["a"]!])
        #expect(read().contents["a"]?.sha256 == "other")
        #expect(!isKeptOut())
        try folder.write("one", to: "Plugins/a.so")
        #expect(isKeptOut())
    }

    @Test("a damaged file of records keeps no module out, and stays as it is")
    func damaged() throws {
        #expect(try store.keepOut(module, because: "it crashed", since: 7))
        try write("{ damaged", to: "modules.json")
        let error = QuarantineError.damaged(place + "/modules.json")
        #expect(read(errors: [error]).isEmpty)
        #expect(throws: error) { try clear(errors: [error]) }
        try write(line(1), to: "crashes.log")
        #expect(read(errors: [error]).isEmpty)
        #expect(try folder.read(".eaves/quarantine/modules.json") == "{ damaged")
        // The crash is still in the log.
        try Files.remove(place + "/modules.json")
        #expect(crashes(in: read()) == [1])
    }

    @Test("only its owner can read it, and its errors have words")
    func words() throws {
        #expect(try store.keepOut(module, because: "it crashed", since: 7))
        #expect(try FileStatus(path: folder.file(".eaves")).mode == 0o700)
        #expect(try FileStatus(path: place).mode == 0o700)
        #expect(try FileStatus(path: place + "/modules.json").mode == 0o600)
        #expect(
            QuarantineError.damaged("/q").diagnostics == [
                Diagnostic(
                    "/q: expected the quarantine that eaves wrote, found something else: "
                        + "no module is kept out", fix: "repair the file, or remove it",
                    code: .badData)
            ])
        #expect(
            QuarantineError.damagedLog("/l", keptAs: "/k").diagnostics == [
                Diagnostic(
                    "/l: expected the crashes that eaves noted, found other lines as well",
                    fix: "look into /k, where the log is kept, or remove that file",
                    code: .badData)
            ])
        let error = SystemError(.write, "/a", .readOnly)
        #expect(QuarantineError.store(.system(error)).diagnostics == error.diagnostics)
    }
}
