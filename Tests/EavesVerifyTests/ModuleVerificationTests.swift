// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesInterface
import EavesTestSupport
import EavesIsolation
import Testing

@testable import EavesVerify

private let failure = Diagnostic("bad", code: .badData)

private func check(_ id: String) throws -> any Check {
    try #require(CheckList.all.first { $0.id == id }, "\(id)")
}

@Suite("the results of a module's checks", .onOwnThreads)
struct CheckResultsTests {
    @Test("name what other modules lack, however deep in factories, and not a factory's own fault")
    func unmetNeeds() throws {
        let (wanted, need) = (ServiceRequest((any Feature).self), ServiceRequest(Logger.self))
        let missing = ResolutionError(.notRegistered, wanted: need)
        let outer = ResolutionError(.factoryFailed(missing), wanted: wanted)
        let words = try #require(missing.unmetNeed(of: wanted))
        #expect(outer.unmetNeed(of: wanted) == words)
        let own = ResolutionError(.factoryFailed(FixtureError("no")), wanted: wanted)
        #expect(own.unmetNeed(of: wanted) == nil)
    }

    @Test("skip each check that presupposes one which did not pass, and name the first that failed")
    func skipped() throws {
        var results = CheckResults()
        try results.add(ModuleVerification.Check(check("loads"), .failed([failure])))
        #expect(try results.skip(check("registers")))
        #expect(try results.skip(check("declaration")))
        #expect(try results.skip(check("services-created")))
        for result in results.inOrder.dropFirst() {
            #expect(result.outcome == .skipped)
            #expect(result.reason == "'loads' did not pass")
        }
        #expect(
            results.inOrder.map(\.id) == ["loads", "registers", "declaration", "services-created"])
    }

    @Test("skip nothing for a warning, or for a check that was skipped for a reason of its own")
    func warned() throws {
        var results = CheckResults()
        try results.add(ModuleVerification.Check(check("machine"), .warned([failure])))
        try results.add(
            ModuleVerification.Check(check("services-created"), .skipped("it provides no service")))
        #expect(try !results.skip(check("entry-point")))
        #expect(try !results.skip(check("services-dropped")))
        #expect(try results.contains(check("machine")))
        #expect(try !results.contains(check("entry-point")))
    }

    @Test("of one check over several things are one, with the first death and the first output")
    func joined() throws {
        let features = try check("features-help")
        var first = ModuleVerification.Check(features, .skipped("a"))
        first.output = []
        var second = ModuleVerification.Check(features, .failed([failure]))
        second.death = ProbeDeath(cause: .signal(11), frames: [])
        second.output = Array("second".utf8)
        var third = second
        third.death = ProbeDeath(cause: .exit(1), frames: [])
        third.output = Array("third".utf8)
        let joined = ModuleVerification.Check(features, joining: [first, second, third])
        #expect(joined.outcome == .failed)
        #expect(joined.problems == [failure, failure])
        #expect(joined.death?.cause == .signal(11))
        #expect(joined.output == Array("second".utf8))
    }
}

@Suite("the verdict on a module", .onOwnThreads)
struct ModuleVerificationTests {
    private let entry = CatalogEntry(id: "weather", path: "weather.so", file: "/weather.so")

    private func verification(_ results: (String, CheckConclusion)...) throws -> ModuleVerification
    {
        ModuleVerification(
            module: entry, isWalled: false,
            checks: try results.map { ModuleVerification.Check(try check($0.0), $0.1) })
    }

    @Test("is good with warnings and skipped checks, and has the code of the first failure")
    func code() throws {
        let good = try verification(
            ("machine", .passed), ("declared-needs", .warned([failure])), ("digest", .skipped("")))
        #expect(good.isPassed && good.code == nil)
        #expect(good.count(of: .warned) == 1)
        let bad = try verification(
            ("machine", .warned([failure])),
            ("loads", .failed([Diagnostic("odd", code: .crashed)])),
            ("registers", .failed([failure])))
        #expect(!bad.isPassed)
        #expect(bad.code == .crashed)
        #expect(bad.count(of: .failed) == 2)
    }

    @Test(
        "counts as a crash only what a host would suffer as well",
        arguments: [
            ("registers", true), ("services-created", true), ("ends", true),
            ("features-help", true), ("registers-twice", false), ("refused-registration", false),
            ("unknown-abi", false), ("later-host", false), ("machine", false),
        ])
    func crash(id: String, counts: Bool) throws {
        let all = CheckList.all.map { check in
            var result = ModuleVerification.Check(check, .passed)
            if check.id == id { result.death = ProbeDeath(cause: .signal(11), frames: []) }
            return result
        }
        let verdict = ModuleVerification(module: entry, isWalled: false, checks: all)
        #expect(verdict.crash?.id == (counts ? id : nil))
    }

    @Test("counts an exit, a timeout and any signal as a crash, if the module is to blame")
    func causes() throws {
        for cause in [
            ProbeDeath.Cause.exit(0), .overdue(.seconds(1)), .signal(9), .signal(15), .signal(11),
        ] {
            for (blame, counts) in [
                (ProbeDeath.Blame.module("weather"), true), (.unknown, true), (.host, false),
                (.module("home"), false),
            ] {
                var result = ModuleVerification.Check(try check("registers"), .failed([failure]))
                result.death = ProbeDeath(cause: cause, frames: [], blame: blame)
                let crash = ModuleVerification(module: entry, isWalled: false, checks: [result])
                    .crash
                #expect((crash != nil) == counts, "\(cause), \(blame)")
            }
        }
    }
}
