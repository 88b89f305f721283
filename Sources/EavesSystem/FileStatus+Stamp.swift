// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension FileStatus {
    /// What tells one state of a file from another, in short: as long as it is the same, so is the
    /// content. Five numbers in base 36, with `-` between them.
    package var stamp: String {
        var text: [UInt8] = []
        text.reserveCapacity(5 * Self.maximumDigits)
        for number in [
            UInt64(size), device, inode, UInt64(bitPattern: modified), UInt64(bitPattern: changed),
        ] {
            if !text.isEmpty { text.append(UInt8(ascii: "-")) }
            Self.append(number, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Of a number of 64 bits, with what stands before it.
    private static let maximumDigits = 14

    /// In digits and letters. By hand: of what is done for each module that is loaded, making five
    /// texts of numbers cost the most.
    private static func append(_ number: UInt64, to text: inout [UInt8]) {
        let start = text.count
        var rest = number
        repeat {
            let digit = UInt8(rest % 36)
            text.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
            rest /= 36
        } while rest > 0
        text[start...].reverse()
    }
}
