// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesRules
import EavesTestSupport
import Testing

@testable import EavesVerify

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
        for check in DynamicChecks.all where check.judgement != nil {
            #expect(check.witness == .outside || check.id == "process-state")
        }
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
