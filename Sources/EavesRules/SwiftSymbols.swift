// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Reads the names that Swift gives to symbols, as far as rules need them.
package enum SwiftSymbols {
    /// The beginning of every symbol that a Swift module declares, such as `$s14EavesInterface`.
    package static func prefix(of module: String) -> String {
        "$s\(module.utf8.count)\(module)"
    }

    /// Whether a symbol is the descriptor of a protocol, which code refers to that implements the protocol or
    /// asks for it.
    package static func isProtocolDescriptor(_ symbol: String) -> Bool {
        symbol.hasSuffix("Mp")
    }

    /// Whether a symbol is the descriptor of a structure, class or enumeration that a Swift module declares.
    /// Those of C types, which every user of a header defines, and of the standard library do not count.
    static func isTypeDescriptor(_ symbol: String) -> Bool {
        guard symbol.hasSuffix("Mn"), symbol.hasPrefix("$s") else { return false }
        return symbol.dropFirst(2).first?.isNumber == true
    }

    /// Whether a symbol belongs to a Swift module that has its name in it; those of the standard library
    /// have letters in its place.
    static func isOfModule(_ symbol: String) -> Bool {
        let bytes = symbol.utf8
        guard bytes.starts(with: "$s".utf8), let digit = bytes.dropFirst(2).first else {
            return false
        }
        return (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(digit)
    }

    /// `Login` of a mangled name such as `$s5Login…`; `nil` for a name that is not Swift's.
    static func module(of symbol: String) -> String? {
        guard isOfModule(symbol), let digits = Int(symbol.dropFirst(2).prefix { $0.isNumber })
        else { return nil }
        let name = symbol.dropFirst(2).drop { $0.isNumber }.prefix(digits)
        return name.count == digits ? String(name) : nil
    }
}
