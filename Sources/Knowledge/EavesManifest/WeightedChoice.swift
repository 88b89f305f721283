// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesSystem

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

    /// A module's draw: the negative binary logarithm of a number between 0 and 1 that is evenly
    /// distributed, times 2³². The quotient of weight and draw is greatest for a module as often as its
    /// weight says.
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
