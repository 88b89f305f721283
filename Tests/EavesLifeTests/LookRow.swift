// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Testing

/// One row of the table of the plan: a world, what happens there, and what a look makes of it.
struct LookRow: Sendable, CustomTestStringConvertible {
    let name: String
    /// The events before. A look follows them.
    let before: [Event]
    /// The events of the row. Another look follows them.
    let events: [Event]
    /// The steps besides the comparisons, of all looks.
    let steps: String
    /// The changes that the host tells, in which `…` stands for any text.
    let told: [String]
    /// The lives of modules and services after that.
    let state: String

    var testDescription: String { name }

    init(
        _ name: String, _ before: [Event], _ events: [Event], steps: String = "",
        told: [String] = [], state: String
    ) {
        (self.name, self.before, self.events) = (name, before, events)
        (self.steps, self.told, self.state) = (steps, told, state)
    }

    static let all = files + refusals + bindings + shares + states + trials
}

// The worlds that most rows begin with.
extension [Event] {
    static let serving: Self = [.write("a"), .ask("Alpha")]
    static let stateful: Self = [.write("a", [.stateful]), .ask("Alpha")]
    /// The module `b` is not loaded.
    static let two: Self = [.write("a"), .write("b"), .bind("Alpha", to: "a"), .ask("Alpha")]
    static let twoStateful: Self = [
        .write("a", [.stateful]), .write("b", [.stateful]), .bind("Alpha", to: "a"), .ask("Alpha"),
    ]

    /// The module `a` serves, and `b` is bound to its service next.
    static func next(_ traits: LookWorld.Trait..., of a: [LookWorld.Trait] = []) -> Self {
        [.write("a", a), .write("b", traits), .bind("Alpha", to: "a"), .ask("Alpha")]
    }
}
