// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesJSON

/// The modules that share a binding, each with its weight, and the key by which the choice sticks.
package struct Weights: Hashable, Sendable {
    /// The greatest weight that a module can have.
    package static let limit = 1_000_000_000
    /// The member of the manifest's object that names the key.
    package static let keyMember = "by"
    /// The key of a canary: in a host that stays up, each call draws.
    package static let callKey = "call"

    /// Each module once, in the order of the manifest. At least one weight is positive.
    package let shares: [BindingShare]
    /// The name of the key whose value decides; `nil` if chance decides.
    package let key: String?
    /// The sum of all weights.
    package let total: Int

    /// - Precondition: At least one weight is positive.
    package init(_ shares: [BindingShare], by key: String? = nil) {
        self.shares = shares
        self.key = key
        total = shares.reduce(0) { $0 + $1.weight }
        precondition(total > 0, "a choice needs a module that can be chosen")
    }

    /// Takes the weights from a text that was a manifest's; `nil` if it was none.
    init?(_ text: String) {
        guard let members = (try? JSONNode.parse(Array(text.utf8)))?.members else { return nil }
        let shares = members.compactMap { member in
            member.value.integer.map { BindingShare(member.name, $0) }
        }
        let allowed = 0...Self.limit
        guard shares.allSatisfy({ allowed.contains($0.weight) }),
            shares.contains(where: { $0.weight > 0 })
        else { return nil }
        self.init(
            shares, by: members.first { $0.name == Self.keyMember }?.value.string)
    }

    /// Whether each call draws, in a host that stays up.
    package var drawsEachCall: Bool { key == Self.callKey }

    /// The module with the greatest weight; of several, the one whose id comes first.
    package var heaviest: String { sorted[0].module }

    /// The shares, the greatest first; equal ones in the order of the ids.
    package var sorted: [BindingShare] {
        shares.sorted { ($1.weight, $0.module) < ($0.weight, $1.module) }
    }

    /// The modules that can be chosen, in the order of the manifest.
    package var eligible: [String] { shares.filter { $0.weight > 0 }.map(\.module) }

    /// The share of a module in words, such as `12.5 %`.
    package func percentage(of share: BindingShare) -> String {
        let tenths = (share.weight * 1000 + total / 2) / total
        if share.weight > 0, tenths == 0 { return "<0.1 %" }
        if share.weight < total, tenths == 1000 { return ">99.9 %" }
        return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
    }

    /// Such as `users-memory 90 %, users-v2 10 %, by user`; `…, by chance` without a key, and `…, at each call` for a
    /// canary.
    package var words: String {
        let shares = sorted.map { "\($0.module) \(percentage(of: $0))" }
        let draw = drawsEachCall ? "at each call" : key.map { "by \($0)" } ?? "by chance"
        return (shares + [draw]).joined(separator: ", ")
    }
}
