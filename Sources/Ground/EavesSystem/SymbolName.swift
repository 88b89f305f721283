// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Says in the words of source code what the mangled names of symbols mean.
package enum SymbolName {
    /// Returns the demangled name of a symbol of Swift or C++, and any other symbol unchanged, as well as one whose words could
    /// be too many.
    package static func demangled(_ symbol: String) -> String {
        guard symbol.utf8.count <= 4096, repeats(in: symbol) <= mostRepeats else { return symbol }
        return symbol.hasPrefix("_Z") ? demangledByCxx(symbol) : demangledBySwift(symbol)
    }

    /// Each repetition in a name may stand for all that was before it, so that the words double with each two of them.
    private static let mostRepeats = 24

    /// The number of places in a mangled name that repeat an earlier part, or more: names of declarations have such letters, too.
    private static func repeats(in symbol: String) -> Int {
        let isCxx = symbol.hasPrefix("_Z")
        let isOld = symbol.hasPrefix("_Tt")
        var (count, number, isRepeat) = (0, 0, false)
        var rest = Array(symbol.utf8)[...]
        while let byte = rest.first {
            if isDiscriminator(rest) {
                rest = rest.dropFirst(35)
                continue
            }
            rest = rest.dropFirst()
            switch Unicode.Scalar(byte) {
            case "A" where !isCxx, "S" where isCxx || isOld, "T" where isCxx:
                (count, number, isRepeat) = (count + 1, 0, true)
            case "0"..."9" where !isCxx && isRepeat:
                number = min(number * 10 + Int(byte - 0x30), 4096)
            case "a"..."z" where !isCxx && isRepeat: (count, number) = (count + 1 + number, 0)
            case "_": isRepeat = false
            default:
                if isRepeat { count += number }
                isRepeat = false
            }
        }
        return count
    }

    /// Whether the digest of a private declaration's file comes next, whose letters repeat nothing. The mark of a private name
    /// follows: a name in which these bytes were something else would end there.
    private static func isDiscriminator(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.starts(with: "33_".utf8), bytes.dropFirst(35).starts(with: "LL".utf8) else {
            return false
        }
        return bytes.dropFirst(3).prefix(32).allSatisfy { byte in
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || UInt8(ascii: "A")...UInt8(ascii: "F") ~= byte
        }
    }

    /// Asks the runtime of C++. A process without it leaves the name as it is.
    private static func demangledByCxx(_ symbol: String) -> String {
        typealias Demangle =
            @convention(c) (
                UnsafePointer<CChar>, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?,
                UnsafeMutablePointer<Int32>?
            ) -> UnsafeMutablePointer<CChar>?
        guard let function = dlsym(nil, "__cxa_demangle") else { return symbol }
        // SAFETY: the C++ ABI fixes the type of this function. Without a buffer, it allocates the
        // result with malloc.
        let demangle = unsafeBitCast(function, to: Demangle.self)
        guard let text = demangle(symbol, nil, nil, nil) else { return symbol }
        defer { free(text) }
        return String(cString: text)
    }

    private static func demangledBySwift(_ symbol: String) -> String {
        typealias Demangle =
            @convention(c) (
                UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?,
                UInt32
            ) -> UnsafeMutablePointer<CChar>?
        guard let function = dlsym(nil, "swift_demangle") else { return symbol }
        // SAFETY: the runtime's C function has had this type since Swift 5. Without a buffer, it
        // allocates the result with malloc.
        let demangle = unsafeBitCast(function, to: Demangle.self)
        guard let text = demangle(symbol, symbol.utf8.count, nil, nil, 0) else { return symbol }
        defer { free(text) }
        return String(cString: text)
    }
}

extension SymbolName {
    /// Returns the requirement of a protocol whose descriptor a symbol is, such as
    /// `WeatherAPI.WeatherService.wind(in: Swift.String) -> Swift.Int`.
    package static func requirement(_ symbol: String) -> String {
        let mark = "descriptor for "
        let words = demangled(symbol)
        let start = words.indices.first { words[$0...].hasPrefix(mark) }
        return start.map { String(words[$0...].dropFirst(mark.count)) } ?? words
    }
}
