// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Times and amounts of memory as the manifest has them: a whole number and a unit, such as `5s` and `256MB`.
enum Quantity {
    static func duration(_ text: String) -> Duration? {
        number(text, ["ms": 1, "s": 1000, "min": 60_000], limit: 86_400_000).map {
            .milliseconds($0)
        }
    }

    /// A kilobyte has 1,024 bytes.
    static func bytes(_ text: String) -> UInt64? {
        number(text, ["KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30], limit: 1 << 50).map {
            UInt64($0)
        }
    }

    /// At least 1, and at most the limit.
    private static func number(_ text: String, _ units: [String: Int], limit: Int) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), let unit = units[String(text[digits.endIndex...])],
            case let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit),
            !isTooLarge, (1...limit).contains(product)
        else { return nil }
        return product
    }
}
