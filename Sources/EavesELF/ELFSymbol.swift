// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// One dynamic symbol: a name that a shared object offers to others or wants from them.
package struct ELFSymbol: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        case untyped = 0, object = 1, function = 2, threadLocal = 6, indirectFunction = 10
    }

    /// In bytes, as the file's table has them.
    static let size = 24

    package let name: String
    package let isDefined: Bool
    package let isWeak: Bool
    /// `nil` for kinds that no module needs.
    package let kind: Kind?
}

extension ELFSymbol {
    private static let localBinding: UInt8 = 0
    private static let weakBinding: UInt8 = 2

    /// `nil` for a symbol that is not visible outside of its file.
    ///
    /// - Parameter bytes: At least ``size`` bytes.
    init?(_ bytes: ArraySlice<UInt8>, names: ELFStrings) throws(ELFError) {
        let fields = ELFBytes(bytes)
        let info: UInt8 = fields.integer(at: 4)
        let binding = info >> 4
        if binding == Self.localBinding { return nil }
        name = try names.text(at: UInt64(fields.integer(at: 0, as: UInt32.self)))
        isDefined = fields.integer(at: 6, as: UInt16.self) != 0
        isWeak = binding == Self.weakBinding
        kind = Kind(rawValue: info & 0xf)
    }
}
