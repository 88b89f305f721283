// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem
import EavesTestSupport
import EavesTrust
import Glibc
import Testing

@testable import EavesQuarantine

@Suite("The record of what is on probation", .promptly)
struct TrialTests {
    private let folder: TemporaryFolder
    private let store: QuarantineStore
    private let module: SuspectModule
    private let process = Int(getpid())

    init() throws {
        folder = try TemporaryFolder()
        store = QuarantineStore(Store(of: folder.path, .own))
        module = SuspectModule(
            id: "a", path: "Plugins/a.so", file: try folder.write("one", to: "Plugins/a.so"))
    }

    private func trial(service: String? = nil, of process: Int? = nil) throws -> Trial {
        Trial(
            module, sha256: try SHA256.digest(of: OpenFile(reading: module.file)).hex,
            generation: 7, service: service,
            from: service.map { _ in "b" }, process: process ?? self.process)
    }

    /// Writes the line that a process writes when it crashes.
    private func crash(_ process: Int) throws {
        let beginning = CrashLogEntry.beginning(
            module, try SHA256.digest(of: OpenFile(reading: module.file)))
        try folder.write(
            beginning + #","signal":11,"time":100,"process":\#(process)}"# + "\n",
            to: ".eaves/quarantine/crashes.log")
    }

    private func read() -> Quarantine {
        var errors: [QuarantineError] = []
        let quarantine = store.read(&errors) ?? Quarantine()
        #expect(errors == [])
        return quarantine
    }

    private var known: [Trial] {
        get throws { try store.loadTrials(in: store.make()) }
    }

    @Test("keeps a module out after one crash, and gives its binding back once")
    func crashOnce() throws {
        try store.setTrials([trial(service: "Users")], of: process)
        try crash(process)
        let records = read().records
        #expect(records.map(\.reason) == ["crashed on probation, with SIGSEGV"])
        #expect(records.first?.since == 100)
        let failed = try store.takeFailedTrials()
        #expect(failed.map(\.service) == ["Users"])
        #expect(failed.map(\.from) == ["b"])
        #expect(failed.first?.failure == "crashed on probation, with SIGSEGV")
        #expect(try store.takeFailedTrials() == [])
        #expect(try known == [])
    }

    @Test("keeps the content out that crashed, although the file is another one by now")
    func otherFile() throws {
        let trial = try trial()
        try store.setTrials([trial], of: process)
        try crash(process)
        try folder.write("two, which is mended", to: "Plugins/a.so")
        #expect(read().records.map(\.sha256) == [trial.sha256])
        var quarantine = read()
        #expect(store.obstacle(to: module, in: &quarantine) == nil)
        try folder.write("one", to: "Plugins/a.so")
        quarantine = read()
        #expect(store.obstacle(to: module, in: &quarantine) != nil)
    }

    @Test(
        "takes a crash of what is judged for one on probation in whichever process, and none of an older file"
    )
    func others() throws {
        try folder.write("an older one", to: "Plugins/a.so")
        try crash(process)
        try folder.write("one", to: "Plugins/a.so")
        try store.setTrials([trial()], of: process)
        #expect(read().records.allSatisfy { $0.since == nil })
        #expect(try known.count == 1)
        try crash(process + 1)
        #expect(read().records.map(\.since) == [100])
        #expect(try known == [])
    }

    @Test("keeps the trials of other processes that live, and drops those of dead ones")
    func processes() throws {
        // No process has so great a number.
        let dead = 1 << 30
        try store.setTrials([trial(of: dead)], of: dead)
        try store.setTrials([trial(of: 1)], of: 1)
        try store.setTrials([trial()], of: process)
        #expect(try known.map(\.process) == [1, process])
        // A dead one may have crashed, and its crash is not counted yet.
        try store.setTrials([trial(of: dead)], of: dead)
        try crash(dead)
        try store.setTrials([], of: process)
        #expect(try known.map(\.process) == [1, dead])
        #expect(read().records.first?.since == 100)
        // The other one judged the same file, which is kept out now.
        #expect(try known == [])
    }

    @Test("gives what a process has judged that is gone, not one that lives or has crashed")
    func killed() throws {
        let killed = 1 << 30
        var crashed = try trial(service: "Users", of: killed)
        crashed.failure = "crashed"
        try store.save(
            [trial(of: 1), trial(of: killed), crashed], over: [], in: store.make())
        #expect(try store.trialsOfGone() == [trial(of: killed)])
    }

    /// Runs in a process of its own, in which no other test judges.
    @Test("gives what another process with this number has judged, until this one judges")
    func sameNumber() async {
        await #expect(processExitsWith: .success) {
            let test = try TrialTests()
            try test.store.save([test.trial()], over: [], in: test.store.make())
            try #require(try test.store.trialsOfGone() == [test.trial()])
            try test.store.setTrials([test.trial()], of: test.process)
            try #require(try test.store.trialsOfGone() == [])
        }
    }

    @Test(
        "has what its process has seen, and is read as well from a version that did not note that")
    func evidence() throws {
        let text = try trial().json.text(pretty: false)
            .replacing(#","canary":false,"interfaces":[],"evidence":null"#, with: "")
        #expect(!text.contains("canary"))
        #expect(try Trial(JSONNode.parse(Array(text.utf8))) == trial())
        let bytes = Array(UInt8.min...UInt8.max)
        let seen = Trial(
            module, sha256: "1", generation: 7, service: "Users", from: "b", isCanary: true,
            process: process, evidence: bytes, needing: ["2"])
        try store.setTrials([seen], of: process)
        #expect(try store.trials(of: process) == [seen])
        let passed = seen.passed(to: 1)
        #expect(passed.evidence == bytes && passed.interfaces == ["2"])
    }

    @Test("takes a damaged record for none")
    func damage() throws {
        try folder.write("{", to: ".eaves/quarantine/probation.json")
        #expect(try known == [])
        try store.setTrials([trial()], of: process)
        #expect(try known.count == 1)
        try store.setTrials([], of: process)
        #expect(!folder.has(".eaves/quarantine/probation.json"))
    }
}
