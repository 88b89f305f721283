// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Commands that documents show and this test cannot run, each with the reason.
struct SkippedCommand {
    let name: String
    let reason: String

    static let all = [
        SkippedCommand(name: "git clone", reason: "the tests run inside a clone"),
        SkippedCommand(name: "swift build", reason: "the command is built before its tests are"),
        SkippedCommand(name: "swift test", reason: "it runs these very tests, and would not end"),
        SkippedCommand(name: "Benchmarks/run", reason: "it measures for minutes, never the same"),
        SkippedCommand(name: "Benchmarks/catalog", reason: "it measures for minutes, too"),
        SkippedCommand(name: "export PATH=", reason: "each command has a shell of its own here"),
    ]

    static func reason(for command: String) -> String? {
        all.first { command.hasPrefix($0.name) }?.reason
    }
}
