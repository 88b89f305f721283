// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Times and amounts of memory as the manifest has them: a whole number and a unit, such as `5s` and `256MB`.
enum Quantity {
    private static let times = [("min", 60_000), ("s", 1000), ("ms", 1)]
    /// A kilobyte has 1,024 bytes.
    private static let sizes = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)]

    static func duration(_ text: String) -> Duration? {
        number(text, times, limit: 86_400_000).map { .milliseconds($0) }
    }

    static func bytes(_ text: String) -> UInt64? {
        number(text, sizes, limit: 1 << 50).map { UInt64($0) }
    }

    /// The shortest text of a time that the manifest can have.
    static func text(_ duration: Duration) -> String {
        text(Int(duration / .milliseconds(1)), times)
    }

    /// The shortest text of an amount of memory that the manifest can have.
    static func text(bytes: UInt64) -> String { text(Int(clamping: bytes), sizes) }

    private static func text(_ number: Int, _ units: [(name: String, size: Int)]) -> String {
        let unit = units.first { number % $0.size == 0 } ?? units[units.count - 1]
        return "\(number / unit.size)\(unit.name)"
    }

    /// At least 1, and at most the limit.
    private static func number(_ text: String, _ units: [(name: String, size: Int)], limit: Int)
        -> Int?
    {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let name = text[digits.endIndex...]
        guard let number = Int(digits), let unit = units.first(where: { $0.name == name })?.size,
            case let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit),
            !isTooLarge, (1...limit).contains(product)
        else { return nil }
        return product
    }
}
