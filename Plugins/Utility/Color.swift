// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A colour, as three numbers.
public struct Color: Hashable, Sendable {
    /// The share of red, from 0 to 255.
    public let red: UInt8
    /// The share of green, from 0 to 255.
    public let green: UInt8
    /// The share of blue, from 0 to 255.
    public let blue: UInt8

    /// Creates a colour.
    ///
    /// - Parameters:
    ///   - red: The share of red, from 0 to 255.
    ///   - green: The share of green, from 0 to 255.
    ///   - blue: The share of blue, from 0 to 255.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Creates a colour from its hexadecimal form.
    ///
    /// - Parameter hex: Three or six digits, with or without `#` in front, such as `#3366cc` or `36c`.
    ///   The result is `nil` for anything else.
    public init?(hex: String) {
        let digits = Array((hex.hasPrefix("#") ? hex.dropFirst() : hex[...]).utf8)
        guard digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else { return nil }
        let pairs: [[UInt8]]
        switch digits.count {
        case 3: pairs = digits.map { [$0, $0] }
        case 6: pairs = [Array(digits[0..<2]), Array(digits[2..<4]), Array(digits[4..<6])]
        default: return nil
        }
        let shares = pairs.compactMap { UInt8(String(decoding: $0, as: UTF8.self), radix: 16) }
        self.init(red: shares[0], green: shares[1], blue: shares[2])
    }

    /// The hexadecimal form with six digits, such as `#3366cc`.
    public var hex: String {
        [red, green, blue].reduce(into: "#") { text, share in
            text += (share < 16 ? "0" : "") + String(share, radix: 16)
        }
    }

    /// The name of the named colour that is nearest to this one, such as `blue`.
    public var nearestName: String {
        Self.named.min { distance(to: $0.color) < distance(to: $1.color) }?.name ?? ""
    }

    /// Colours with a name.
    public static let named: [(name: String, color: Color)] = [
        ("red", Color(red: 0xcc, green: 0x33, blue: 0x33)),
        ("orange", Color(red: 0xdd, green: 0x88, blue: 0x22)),
        ("yellow", Color(red: 0xdd, green: 0xcc, blue: 0x33)),
        ("green", Color(red: 0x33, green: 0x99, blue: 0x44)),
        ("blue", Color(red: 0x33, green: 0x66, blue: 0xcc)),
        ("violet", Color(red: 0x88, green: 0x44, blue: 0xbb)),
        ("grey", Color(red: 0x80, green: 0x80, blue: 0x80)),
        ("black", Color(red: 0, green: 0, blue: 0)),
        ("white", Color(red: 255, green: 255, blue: 255)),
    ]

    private func distance(to other: Color) -> Int {
        let differences = [
            Int(red) - Int(other.red), Int(green) - Int(other.green), Int(blue) - Int(other.blue),
        ]
        return differences.reduce(0) { $0 + $1 * $1 }
    }
}
