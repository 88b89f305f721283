// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A colour of a screen, and the nearest one that a terminal has.
struct Color: Hashable, Sendable {
    var red: Int
    var green: Int
    var blue: Int

    init(red: Int, green: Int, blue: Int) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// - Parameter hex: Such as `#3366cc`, or `#36c`.
    init?(hex: String) {
        let text = hex.hasPrefix("#") ? hex.dropFirst() : hex[...]
        var digits: [Int] = []
        for character in text {
            guard let digit = character.hexDigitValue else { return nil }
            digits.append(digit)
        }
        switch digits.count {
        case 3: digits = digits.flatMap { [$0, $0] }
        case 6: break
        default: return nil
        }
        self.init(
            red: digits[0] << 4 | digits[1], green: digits[2] << 4 | digits[3],
            blue: digits[4] << 4 | digits[5])
    }

    /// The number of the nearest colour.
    ///
    /// - Parameter count: The number of colours of the terminal: 8, 16 or 256.
    func nearest(of count: Int) -> Int {
        let range = count >= 256 ? 16..<256 : 0..<(count >= 16 ? 16 : 8)
        return range.min { distance(to: Self.standard($0)) < distance(to: Self.standard($1)) } ?? 7
    }

    private func distance(to other: Color) -> Int {
        let (red, green, blue) = (red - other.red, green - other.green, blue - other.blue)
        // The eye sees differences of green best, those of blue worst.
        return 3 * red * red + 6 * green * green + blue * blue
    }

    /// The colour that xterm gives a number: 16 of names, a cube of 6 × 6 × 6, and 24 greys.
    private static func standard(_ number: Int) -> Color {
        switch number {
        case 0..<8:
            let level = 205
            return Color(
                red: number & 1 * level, green: number >> 1 & 1 * level,
                blue: number >> 2 & 1 * level)
        case 8..<16:
            return Color(
                red: number & 1 * 255, green: number >> 1 & 1 * 255, blue: number >> 2 & 1 * 255)
        case 16..<232:
            let cube = number - 16
            let levels = [0, 95, 135, 175, 215, 255]
            return Color(
                red: levels[cube / 36], green: levels[cube / 6 % 6], blue: levels[cube % 6])
        default:
            let level = 8 + 10 * (number - 232)
            return Color(red: level, green: level, blue: level)
        }
    }
}
