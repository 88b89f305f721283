// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON
internal import EavesSystem

/// Says which module provides a service, or how several modules share that.
package struct Binding: Hashable, Sendable {
    package enum Target: Hashable, Sendable {
        case module(String)
        case weights(Weights)
    }

    package var key: BindingKey
    package var target: Target
    package var position: TextPosition

    package var service: String { key.service }

    /// The ids of all modules that the binding names, each once, in the order of the manifest.
    package var modules: [String] {
        switch target {
        case .module(let module): [module]
        case .weights(let weights): weights.shares.map(\.module)
        }
    }

    package var weights: Weights? {
        if case .weights(let weights) = target { weights } else { nil }
    }

    package var words: String {
        switch target {
        case .module(let module): module
        case .weights(let weights): weights.words
        }
    }
}

/// A service that a manifest can bind: `UserService`, or `UserService#archive` for its implementation
/// that is named `archive`.
package struct BindingKey: Hashable, Sendable {
    /// The service's name, which may be qualified by its Swift module.
    package var service: String
    /// The name of the implementation; `nil` for the unnamed one.
    package var name: String?

    package init(_ service: String, name: String? = nil) {
        self.service = service
        self.name = name
    }

    /// Takes a key as the manifest and the command line have it. A service's name has no `#`, so that the
    /// first one ends it.
    package init(text: String) {
        if let mark = text.utf8.firstIndex(of: UInt8(ascii: "#")) {
            self.init(
                String(text[..<mark]), name: String(text[text.utf8.index(after: mark)...]))
        } else {
            self.init(text)
        }
    }

    package var text: String { name.map { "\(service)#\($0)" } ?? service }

    /// The key without the Swift module that qualifies the service.
    package var word: BindingKey {
        guard let dot = service.utf8.lastIndex(of: UInt8(ascii: ".")) else { return self }
        return BindingKey(String(service[service.utf8.index(after: dot)...]), name: name)
    }
}

/// The modules that share a binding, each with its weight, and the key by which the choice sticks.
package struct Weights: Hashable, Sendable {
    package static let limit = 1_000_000_000
    /// The member of the manifest's object that names the key.
    package static let keyMember = "by"
    /// The key of a canary: in a host that stays up, each call draws.
    package static let callKey = "call"

    /// Each module once, in the order of the manifest. At least one weight is positive.
    package let shares: [BindingShare]
    /// The name of the key whose value decides; `nil` if chance decides.
    package let key: String?
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
        let (allowed, isPositive) = (0...Self.limit, shares.contains { $0.weight > 0 })
        guard isPositive, shares.allSatisfy({ allowed ~= $0.weight }) else { return nil }
        self.init(shares, by: members.first { $0.name == Self.keyMember }?.value.string)
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

    package func weight(of module: String) -> Int? { shares.first { $0.module == module }?.weight }

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
        return (shares + [choice]).joined(separator: ", ")
    }

    /// The rule of the choice in words, such as `by user`.
    package var choice: String {
        drawsEachCall ? "at each call" : key.map { "by \($0)" } ?? "by chance"
    }
}

// Weighted rendezvous hashing: each module draws a number from the key's value, the weight scales the draw,
// and the best draw wins. A module's draw depends on no other module. So a greater weight only wins keys for
// that module, a smaller one only loses some, and no key moves between two others.
//
// Everything is done in integers, so that every machine, and every other program that follows
// Documentation/Manifest.md, makes the same choice.
extension Weights {
    /// The module that a value is for. The same value has the same module in every process.
    ///
    /// - Parameters:
    ///   - value: The value of the key, such as a user's name.
    ///   - binding: The service and its name. Each binding draws for itself, so that two of them with
    ///     the same weights do not choose for the same users.
    package func module(for value: String, of binding: BindingKey) -> String {
        var best: (share: BindingShare, cost: UInt64)?
        for share in shares where share.weight > 0 {
            let cost = Self.cost(of: share.module, for: value, of: binding)
            guard let known = best else {
                best = (share, cost)
                continue
            }
            // weight / cost is greater, or equal and the id comes first.
            let left = UInt64(share.weight).multipliedFullWidth(by: known.cost)
            let right = UInt64(known.share.weight).multipliedFullWidth(by: cost)
            let isBetter =
                left == right
                ? share.module < known.share.module
                : (left.high, left.low) > (right.high, right.low)
            if isBetter { best = (share, cost) }
        }
        return best?.share.module ?? heaviest
    }

    /// A module's draw: the negative binary logarithm of a number between 0 and 1 that is evenly distributed, times
    /// 2³². The quotient of weight and draw is greatest for a module as often as its weight says.
    private static func cost(
        of module: String, for value: String, of binding: BindingKey
    ) -> UInt64 {
        var hash = SHA256()
        hash.update("\(binding.word.text)\n\(module)\n\(value)".utf8)
        let words = hash.finalize().words
        let number = UInt64(words[0]) << 32 | UInt64(words[1])
        // Zero has no logarithm.
        return (64 << 32) - binaryLogarithm(number | 1)
    }

    /// The binary logarithm times 2³², rounded down: the place of the highest bit, and then a bit of the
    /// fraction for each squaring.
    ///
    /// - Parameter number: Not zero.
    static func binaryLogarithm(_ number: UInt64) -> UInt64 {
        let zeros = number.leadingZeroBitCount
        var logarithm = UInt64(63 - zeros) << 32
        var mantissa = number << UInt64(zeros)
        for bit in (0..<32).reversed() {
            let square = mantissa.multipliedFullWidth(by: mantissa)
            if square.high >> 63 == 1 {
                mantissa = square.high
                logarithm |= 1 << UInt64(bit)
            } else {
                mantissa = square.high << 1 | square.low >> 63
            }
        }
        return logarithm
    }
}
