// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON

/// The limits of a module in a process of its own.
package struct IsolationLimits: Hashable, Sendable {
    /// The time that each of its calls has; `nil` for no limit.
    package var call: Duration?
    /// The memory that the process may have for itself, in bytes; `nil` for no limit.
    package var memory: UInt64?
    /// The number of processes at one time, its own among them.
    package var processes = Self.usualProcesses

    package static let usualProcesses = 64
    package static let mostProcesses = 10_000

    /// The value that the manifest would have, with all keys; `null` for no limit.
    package var json: JSON {
        [
            "call": call.map { .string(Quantity.text($0)) } ?? .null,
            "memory": memory.map { .string(Quantity.text(bytes: $0)) } ?? .null,
            "processes": .integer(processes),
        ]
    }

    /// The limits that the manifest gives, as a list for people; empty if it gives none.
    package var words: [String] {
        [
            call.map { "\(Quantity.text($0)) for a call" },
            memory.map { "\(Quantity.text(bytes: $0)) of memory" },
            processes == Self.usualProcesses ? nil : "\(processes) processes",
        ].compactMap { $0 }
    }

    package init() {}
}

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
