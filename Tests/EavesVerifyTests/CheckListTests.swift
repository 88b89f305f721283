// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesRules
import EavesTestSupport
import Testing

@testable import EavesVerify

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
