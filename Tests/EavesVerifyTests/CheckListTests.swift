// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

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
