// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EavesRules

@Suite("the table of rules")
struct BinaryRulesTests {
    private static let ids = BinaryRules.all.map(\.id)
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("has ids in kebab case, each once, each with a meaning of one line")
    func ids() {
        #expect(Set(Self.ids).count == Self.ids.count)
        for rule in BinaryRules.all {
            #expect(rule.id.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, "\(rule.id)")
            #expect(!rule.meaning.isEmpty && !rule.meaning.contains("\n"))
            #expect(rule.meaning.last != ".")
        }
    }

    @Test("has the rules that a rule presupposes above it")
    func presupposed() {
        var above: Set<String> = []
        for rule in BinaryRules.all {
            #expect(above.isSuperset(of: rule.presupposes), "\(rule.id)")
            above.insert(rule.id)
        }
    }

    @Test("tells what a launch checks itself, and leaves the costly look-ups to the linker")
    func launch() {
        func ids(_ step: BinaryRule.LaunchStep) -> [String] {
            BinaryRules.all.filter { $0.launch == step }.map(\.id)
        }
        #expect(ids(.demands) == ["digest", "signature", "version"])
        #expect(
            ids(.beforeLoading) == [
                "named-interfaces", "interface-services", "isolation", "entry-point",
                "interface-not-carried",
                "interface-symbols", "requirements", "library-paths", "library-trust",
                "executable-stack", "static-memory", "needed-libraries", "module-links", "layer",
            ])
        #expect(ids(.explainingTheLinker) == ["module-symbols", "symbols"])
        #expect(ids(.none) == ["library-symbols", "declared-needs", "shared-code", "process-wide"])
    }

    @Test("lets a module pass with a warning in few cases only")
    func warnings() {
        let warnings = BinaryRules.all.filter { $0.isWarning }.map(\.id)
        #expect(
            warnings == [
                "quarantine", "library-symbols", "declared-needs", "shared-code", "process-wide",
            ])
    }

    @Test("is kept by a module that is well")
    func well() throws {
        try folder.add(.module())
        let module = try folder.inspect()
        for rule in BinaryRules.all where !["digest", "signature", "version"].contains(rule.id) {
            #expect(rule.outcome(for: module) == .kept, "\(rule.id)")
        }
        #expect(try module.outcome("digest") == .skipped("the manifest pins no digest"))
        #expect(try module.outcome("signature") == .skipped("the manifest requires no signature"))
        #expect(module.launchDiagnostics == [])
    }

    @Test("has no rule that no module breaks", arguments: BinaryRules.all.map(\.id))
    func broken(id: String) throws {
        let make = try #require(BrokenModules.byRule[id], "add a module that breaks '\(id)'")
        let module = try make(folder)
        let outcome = try module.outcome(id)
        guard case .broken = outcome else {
            Issue.record("\(id): \(outcome)")
            return
        }
        for rule in BinaryRules.all where Self.presupposed(by: id).contains(rule.id) {
            #expect(rule.outcome(for: module) == .kept, "\(rule.id)")
        }
    }

    /// The rules that a rule presupposes, directly or not.
    private static func presupposed(by id: String) -> Set<String> {
        let direct = BinaryRules.all.first { $0.id == id }?.presupposes ?? []
        return direct.reduce(into: Set(direct)) { $0.formUnion(presupposed(by: $1)) }
    }
}
