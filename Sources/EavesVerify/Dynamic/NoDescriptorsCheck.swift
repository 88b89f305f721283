// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Compares what is open.
enum NoDescriptorsCheck: DirectCheck {
    static let id = "no-descriptors"
    static let meaning = "it leaves no file open when it has registered, and closes none of others"
    static let needs = [RegistersCheck.id]

    static func run(_ trial: Trial) throws -> Finding {
        _ = try trial.register()
        guard let traces = trial.traces, let after = traces.after?.descriptors else {
            return .passed
        }
        let before = traces.before.descriptors
        let opened = after.filter { before[$0.key]?.identity != $0.value.identity }
            .values.map(\.target).sorted()
        let closed = before.filter { after[$0.key] == nil }.values.map(\.target).sorted()
        var parts: [String] = []
        if !opened.isEmpty { parts.append("left open " + opened.joined(separator: ", ")) }
        if !closed.isEmpty { parts.append("closed " + closed.joined(separator: ", ")) }
        guard !parts.isEmpty else { return .passed }
        return trial.warning(
            parts.joined(separator: "; ") + " while it was loaded or registered",
            fix: "open files in the factories, and close only what you opened")
    }
}
