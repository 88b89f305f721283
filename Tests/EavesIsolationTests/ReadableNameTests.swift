// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EavesIsolation

private let file = "_0123456789ABCDEF0123456789ABCDEF"

@Suite("a function's name as people read it", .onOwnThreads)
struct ReadableNameTests {
    @Test(
        "has no file of a private function and no digest of the build",
        arguments: [
            ("Weather_0123456789ab.Sky.color() -> Swift.Int", "Weather.Sky.color() -> Swift.Int"),
            ("Weather_0123456789ab", "Weather"),
            ("Weather.(color in \(file))() -> ()", "Weather.color() -> ()"),
            ("(größe in \(file)) in (Sky_2 in \(file))", "größe in Sky_2"),
            ("(A_0123456789ab.f in \(file))", "(A.f in \(file))"),
            ("A_0123456789ab.(f in \(file)) + B_ba9876543210()", "A.f + B()"),
            ("(1) suspend resume partial function for A_0123456789ab.f()", "A.f()"),
            ("(12) await resume partial function for A.f() async -> ()", "A.f() async -> ()"),
        ])
    func shortened(name: String, readable: String) {
        #expect(ReadableName.of(name) == readable)
    }

    @Test(
        "keeps what only looks like it",
        arguments: [
            "", "_", "(", "_0123456789a", "_0123456789abc", "_0123456789abZ", "_0123456789AB",
            "_0123456789ag", "(color in _0123456789ABCDEF)", "(color in \(file)", "( in \(file))",
            "(color in \(file)0)", "(color in \(file.lowercased()))", "(+ in \(file))",
            "(color in", "main", "größe_0123456789",
        ])
    func kept(name: String) {
        #expect(ReadableName.of(name) == name)
    }
}
