// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Utility

extension Color {
    /// The number of the nearest colour that a terminal has.
    ///
    /// - Parameter count: The number of colours of the terminal: 8, 16 or 256.
    func nearest(of count: Int) -> Int {
        // With 256, the first 16 are left out: people choose these as they like.
        let range = count >= 256 ? 16..<256 : 0..<(count >= 16 ? 16 : 8)
        return range.min { distance(to: Self.standard($0)) < distance(to: Self.standard($1)) } ?? 7
    }

    private func distance(to other: Color) -> Int {
        let red = Int(red) - Int(other.red)
        let green = Int(green) - Int(other.green)
        let blue = Int(blue) - Int(other.blue)
        // The eye sees differences of green best, those of blue worst.
        return 3 * red * red + 6 * green * green + blue * blue
    }

    /// The colour that xterm gives a number: 16 of names, a cube of 6 × 6 × 6, and 24 greys.
    private static func standard(_ number: Int) -> Color {
        switch number {
        case 0..<16:
            let level: UInt8 = number < 8 ? 205 : 255
            return Color(
                red: number & 1 != 0 ? level : 0, green: number & 2 != 0 ? level : 0,
                blue: number & 4 != 0 ? level : 0)
        case 16..<232:
            let cube = number - 16
            let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
            return Color(
                red: levels[cube / 36], green: levels[cube / 6 % 6], blue: levels[cube % 6])
        default:
            let level = UInt8(8 + 10 * (number - 232))
            return Color(red: level, green: level, blue: level)
        }
    }
}
