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

    /// The Swift modules of the toolchain whose names stand in symbols: no catalog has to be asked about them.
    static let toolchainModules: Set = [
        "Dispatch", "Distributed", "Foundation", "FoundationEssentials",
        "FoundationInternationalization", "FoundationNetworking", "FoundationXML", "Glibc",
        "Observation", "RegexBuilder", "Synchronization", "_Concurrency", "_Differentiation",
        "_RegexParser", "_StringProcessing",
    ]

    /// Whether a symbol is the descriptor of an associated type, such as `$s4Item7Shelves5ShelfPTl`.
    private static func isAssociatedType(_ symbol: String) -> Bool {
        symbol.utf8.suffix(2).elementsEqual("Tl".utf8)
    }

    /// The name of the module whose protocol has the associated type of which a symbol is the descriptor; `nil` for
    /// any other symbol.
    static func associatingModule(of symbol: String, demangle: (String) -> String) -> String? {
        guard isAssociatedType(symbol) else { return nil }
        let start = "associated type descriptor for "
        let text = demangle(symbol)
        guard text.hasPrefix(start) else { return nil }
        return text.dropFirst(start.count).split(separator: ".").first.map(String.init)
    }

    /// The name of the module that declares the extension of which a symbol is, such as `Login` of
    /// `$sSS5LoginE…`, a member that it adds to strings; `nil` if a symbol is not of an extension, or the
    /// extension is one of the type's own module.
    ///
    /// - Parameter demangle: A function that is asked where the mangled name abbreviates the module's.
    static func extendingModule(of symbol: String, demangle: (String) -> String) -> String? {
        var symbol = symbol
        let (isExtension, name) = symbol.withUTF8 { bytes in findExtension(in: bytes) }
        return isExtension ? name ?? extendingModule(demangled: demangle(symbol)) : nil
    }

    /// Reads the names in a mangled name, up to the mark of an extension: an `E` behind the module's name, or
    /// behind a condition, which ends with `l`. A launch does this for each symbol.
    ///
    /// - Returns: The module's name also; `nil` where only the demangled name has it, if there is an extension at all.
    private static func findExtension(
        in bytes: UnsafeBufferPointer<UInt8>
    ) -> (isExtension: Bool, module: String?) {
        guard bytes.starts(with: "$s".utf8) else { return (false, nil) }
        // Such as `$sSTs…`: the standard library extends its own types.
        if bytes.count > 4, bytes[2] == UInt8(ascii: "S"), bytes[4] == UInt8(ascii: "s") {
            return (false, nil)
        }
        let mark = UInt8(ascii: "E")
        var offset = 2
        while offset < bytes.count {
            let start = offset
            switch bytes[offset] {
            case UInt8(ascii: "1")...UInt8(ascii: "9"):
                guard let name = name(in: bytes, at: &offset) else { return (false, nil) }
                if offset < bytes.count, bytes[offset] == mark {
                    return (true, String(decoding: bytes[name], as: UTF8.self))
                }
            // A name that repeats words of earlier names.
            case UInt8(ascii: "0"): return (bytes[offset...].contains(mark), nil)
            case mark where bytes[offset - 1] == UInt8(ascii: "l"): return (true, nil)
            default: offset += 1
            }
            if offset == start { break }
        }
        return (false, nil)
    }

    /// Reads a length and as many bytes.
    private static func name(
        in bytes: UnsafeBufferPointer<UInt8>, at offset: inout Int
    ) -> Range<Int>? {
        var count = 0
        while offset < bytes.count, bytes[offset] >= 0x30, bytes[offset] <= 0x39 {
            count = 10 * count + Int(bytes[offset] - 0x30)
            offset += 1
            if count > bytes.count { return nil }
        }
        guard count > 0, count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return offset..<offset + count
    }

    /// `Login` of `(extension in Login):…`, perhaps behind words about a part of it.
    private static func extendingModule(demangled text: String) -> String? {
        let start = "extension in "
        return text.split(separator: "(").first { $0.hasPrefix(start) }
            .flatMap { $0.dropFirst(start.count).split(separator: ")").first }.map(String.init)
    }

    /// `Login` of a mangled name such as `$s5Login…`; `nil` for a name that is not Swift's, or does not begin with that of a
    /// module: those of the standard library have letters in its place, and those of associated types begin with the type's
    /// own name.
    static func module(of symbol: String) -> String? {
        guard symbol.hasPrefix("$s"), !isAssociatedType(symbol) else { return nil }
        let digits = symbol.dropFirst(2).prefix { $0.isNumber }
        guard digits.first != "0", let count = Int(digits) else { return nil }
        let name = symbol[digits.endIndex...].prefix(count)
        return name.count == count ? String(name) : nil
    }
}
