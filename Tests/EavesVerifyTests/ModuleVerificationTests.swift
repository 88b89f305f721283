// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesInterface
import EavesRules
import EavesTestSupport
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

@Suite("the list of checks", .onOwnThreads)
struct CheckListTests {
    @Test("has ids in kebab case, each once, each with a meaning of one line")
    func ids() {
        let ids = CheckList.all.map(\.id)
        #expect(Set(ids).count == ids.count)
        for check in CheckList.all {
            #expect(check.id.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, "\(check.id)")
            #expect(!check.meaning.isEmpty && !check.meaning.contains("\n"))
            #expect(check.meaning.last != ".")
        }
    }

    @Test("has the checks that a check presupposes above it")
    func presupposed() {
        var above: Set<String> = []
        for check in CheckList.all {
            #expect(above.isSuperset(of: check.presupposes), "\(check.id)")
            above.insert(check.id)
        }
    }

    @Test("adds the checks that a few presuppose")
    func needed() {
        #expect(CheckList.needed(for: ["machine"]) == ["elf-readable", "machine"])
        let forDeclaration = CheckList.needed(for: ["declaration"])
        #expect(forDeclaration.isSuperset(of: ["declaration", "registers", "loads", "digest"]))
        #expect(!forDeclaration.contains("services-created"))
        #expect(CheckList.needed(for: nil).count == CheckList.all.count)
    }
}

@Suite("the conclusion of a check", .onOwnThreads)
struct CheckConclusionTests {
    private static let failure = Diagnostic("bad", code: .badData)
    private static let warning = Diagnostic("odd", code: .badData)

    @Test("of several is the worst of them, and says all of that")
    func several() {
        #expect(CheckConclusion(joining: []) == .passed)
        #expect(CheckConclusion(joining: [.passed, .passed]) == .passed)
        #expect(
            CheckConclusion(joining: [.passed, .skipped("a"), .skipped("b")]) == .skipped("a; b"))
        #expect(
            CheckConclusion(joining: [.warned([Self.warning]), .skipped("a")])
                == .warned([Self.warning]))
        #expect(
            CheckConclusion(joining: [
                .warned([Self.warning]), .failed([Self.failure]), .skipped("a"),
            ])
                == .failed([Self.failure, Self.warning]))
    }
}

@Suite("the checks that run code", .onOwnThreads)
struct DynamicChecksTests {
    @Test("run nothing before every rule about the binary is kept")
    func loads() {
        for check in DynamicChecks.all {
            let needed = CheckList.needed(for: [check.id])
            #expect(needed.isSuperset(of: BinaryRules.all.map(\.id) + ["loads"]), "\(check.id)")
        }
    }

    @Test("stand below the rules about the binary, in the order in which they run")
    func order() {
        #expect(
            CheckList.all.map(\.id)
                == BinaryRules.all.map(\.id) + DynamicChecks.all.map(\.id))
        let stages = DynamicChecks.all.map(\.stage)
        let order = DynamicCheck.Stage.allCases
        #expect(
            stages == order.flatMap { stage in stages.filter { $0 == stage } })
    }

    @Test("measure again where time counts, and nowhere else")
    func measurements() {
        #expect(
            DynamicChecks.all.filter(\.isMeasurement).map(\.id) == ["quick-registration"])
    }

    @Test("say which of them are judged by a process that runs no code of the module")
    func witnesses() {
        #expect(
            DynamicChecks.all.filter { $0.witness == .outside }.map(\.id) == [
                "quick-registration", "quiet-registration", "no-threads", "no-descriptors", "ends",
            ])
        #expect(
            DynamicChecks.all.filter { $0.judgement != nil && $0.witness != .outside }.map(\.id)
                == ["process-state"])
        #expect(BinaryRules.all.allSatisfy { $0.witness == .file })
    }

    @Test("end with the exit in the process that has registered, and launch features elsewhere")
    func actions() {
        for check in DynamicChecks.all {
            switch check.action {
            case .call: #expect(check.stage != .feature, "\(check.id)")
            case .launch: #expect(check.stage == .feature, "\(check.id)")
            case .exit:
                let last = DynamicChecks.all.last { $0.stage == .registered }
                #expect(check.id == last?.id)
            }
        }
    }
}
