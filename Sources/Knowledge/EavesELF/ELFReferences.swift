// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The places in memory into which the dynamic linker writes the addresses of symbols, by their addresses.
///
/// The names are read when they are asked for: of thousands of places, few matter.
struct ELFReferences {
    /// The size of an entry in the file's table, in bytes.
    private static let entrySize = 24
    /// More entries than any module has: the reader never allocates memory because of a size that the file only
    /// claims.
    private static let maximumCount = 1 << 21

    /// The indices of symbols.
    private var symbols: [UInt64: Int] = [:]
    private var table: ArraySlice<UInt8> = []
    private let strings: ELFStrings
    private var names: [Int: String] = [:]

    /// - Throws: ``ELFError`` if a table does not lie in the file.
    init(_ file: borrowing ELFFile, _ dynamic: ELFDynamicSection) throws(ELFError) {
        strings = dynamic.strings
        guard let address = dynamic.value(of: .rela), let size = dynamic.value(of: .relaSize),
            let symbolTable = dynamic.value(of: .symtab)
        else { return }
        let bytes = try file.bytes(
            atAddress: address, count: size, limit: UInt64(Self.maximumCount * Self.entrySize),
            of: .relocations)
        var last = 0
        for start in stride(
            from: bytes.startIndex, through: bytes.endIndex - Self.entrySize, by: Self.entrySize)
        {
            let fields = ELFBytes(bytes[start..<start + Self.entrySize])
            let symbol = Int(fields.integer(at: 12, as: UInt32.self))
            guard symbol > 0 else { continue }
            guard symbol < Self.maximumCount else { throw .malformed(.relocations) }
            symbols[fields.integer(at: 0)] = symbol
            last = max(last, symbol)
        }
        guard last > 0 else { return }
        let length = UInt64((last + 1) * ELFSymbol.size)
        table = try file.bytes(
            atAddress: symbolTable, count: length, limit: length, of: .symbols)
    }

    /// The name of the symbol whose address the dynamic linker writes to a place; `nil` if it writes none.
    mutating func name(at address: UInt64) throws(ELFError) -> String? {
        guard let symbol = symbols[address] else { return nil }
        if let known = names[symbol] { return known }
        let fields = ELFBytes(table.dropFirst(symbol * ELFSymbol.size))
        let name = try strings.text(at: UInt64(fields.integer(at: 0, as: UInt32.self)))
        names[symbol] = name
        return name
    }
}
