// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// One dynamic symbol: a name that a shared object offers to others or needs from them.
package struct ELFSymbol: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        case untyped = 0, object = 1, function = 2, threadLocal = 6, indirectFunction = 10
    }

    /// The size of an entry in the file's table, in bytes.
    static let size = 24

    private static let localBinding: UInt8 = 0
    private static let weakBinding: UInt8 = 2
    private static let uniqueBinding: UInt8 = 10

    package let name: String
    /// Where the symbol is once the file is mapped at address 0.
    package let address: UInt64
    package let isDefined: Bool
    package let isWeak: Bool
    /// Whether the first definition counts for all files of a process, in spite of `RTLD_LOCAL` (`STB_GNU_UNIQUE`).
    let isUnique: Bool
    /// `nil` for kinds that no module needs.
    package let kind: Kind?

    /// Reads one entry of the table; `nil` for a symbol that is not visible outside of its file.
    ///
    /// - Parameter bytes: At least ``size`` bytes.
    init?(_ bytes: ArraySlice<UInt8>, names: ELFStrings) throws(ELFError) {
        let fields = ELFBytes(bytes)
        let info: UInt8 = fields.integer(at: 4)
        let binding = info >> 4
        if binding == Self.localBinding { return nil }
        name = try names.text(at: UInt64(fields.integer(at: 0, as: UInt32.self)))
        isDefined = fields.integer(at: 6, as: UInt16.self) != 0
        address = fields.integer(at: 8)
        isWeak = binding == Self.weakBinding
        isUnique = binding == Self.uniqueBinding
        kind = Kind(rawValue: info & 0xf)
    }
}

extension ELFFile {
    /// More symbols than any module has: the reader never allocates memory because of a size that the file only claims.
    private static let maximumSymbols: UInt64 = 1 << 21
    /// The limit of all names together, which can overlap in the file. In bytes.
    private static let maximumNames = 64 << 20

    /// Reads the dynamic symbols that are visible outside, in the order of the file.
    package func symbols(of dynamic: ELFDynamicSection) throws(ELFError) -> [ELFSymbol] {
        guard let table = dynamic.value(of: .symtab) else { return [] }
        guard dynamic.value(of: .syment) ?? 24 == ELFSymbol.size else {
            throw .malformed(.symbols)
        }
        let count = try symbolCount(dynamic)
        guard count <= Self.maximumSymbols else { throw .malformed(.symbols) }
        let length = count * UInt64(ELFSymbol.size)
        let bytes = try bytes(atAddress: table, count: length, of: .symbols)
        var symbols: [ELFSymbol] = []
        var room = Self.maximumNames
        for start in stride(from: 0, to: bytes.count, by: ELFSymbol.size) {
            if let symbol = try ELFSymbol(bytes.dropFirst(start), names: dynamic.strings) {
                symbols.append(symbol)
                room -= symbol.name.utf8.count
                guard room >= 0 else { throw .malformed(.symbols) }
            }
        }
        return symbols
    }

    /// The number of dynamic symbols, which the format does not state.
    ///
    /// The hash tables that the dynamic linker searches end with the last defined symbol, and the
    /// undefined ones stand before the defined ones. The hash table of an object that defines no
    /// symbol may be empty, so the table of sections counts as well: the largest number wins.
    private func symbolCount(_ dynamic: ELFDynamicSection) throws(ELFError) -> UInt64 {
        let section = try source.sections(header).first {
            $0.kind == .dynamicSymbols && $0.address == dynamic.value(of: .symtab)
        }
        var count = section.map { $0.fileSize / UInt64(ELFSymbol.size) } ?? 0
        if let address = dynamic.value(of: .hash) {
            let head = try fields(atAddress: address, count: 8, of: .symbols)
            count = max(count, UInt64(head.integer(at: 4, as: UInt32.self)))
        }
        if let address = dynamic.value(of: .gnuHash) {
            count = max(count, try gnuHashCount(at: address))
        }
        return count
    }

    /// One more than the largest index in a GNU hash table: the end of the chain that starts last.
    private func gnuHashCount(at address: UInt64) throws(ELFError) -> UInt64 {
        let header = try fields(atAddress: address, count: 16, of: .symbols)
        let bucketCount = UInt64(header.integer(at: 0, as: UInt32.self))
        let firstIndex = UInt64(header.integer(at: 4, as: UInt32.self))
        let filterSize = 8 * UInt64(header.integer(at: 8, as: UInt32.self))
        let (buckets, overflows) = address.addingReportingOverflow(16 + filterSize)
        guard !overflows, bucketCount <= Self.maximumSymbols else { throw .malformed(.symbols) }
        let heads = try fields(atAddress: buckets, count: 4 * bucketCount, of: .symbols)
        let last = (0..<Int(bucketCount)).map { heads.integer(at: 4 * $0, as: UInt32.self) }.max()
        guard let last = last.map(UInt64.init), last >= firstIndex, last > 0 else {
            return firstIndex
        }
        return try endOfChain(from: last, first: firstIndex, at: buckets + 4 * bucketCount)
    }

    private func endOfChain(
        from index: UInt64, first: UInt64, at chains: UInt64
    ) throws(ELFError) -> UInt64 {
        var index = index
        while index < Self.maximumSymbols {
            let (address, overflows) = chains.addingReportingOverflow(4 * (index - first))
            guard !overflows else { break }
            let bytes = try bytes(atAddress: address, upTo: 4096, of: .symbols)
            for start in stride(from: 0, through: bytes.count - 4, by: 4) {
                index += 1
                let hash: UInt32 = ELFBytes(bytes).integer(at: start)
                if hash & 1 == 1 { return index }
            }
            guard bytes.count >= 4 else { break }
        }
        throw .malformed(.symbols)
    }
}

/// A place in a function, as the tables of symbols describe it.
package struct ELFFunction: Hashable, Sendable {
    /// The symbol's name, mangled.
    package let name: String
    /// The distance from the beginning of the function, in bytes.
    package let offset: UInt64
}

// Finds the function of a place in the file: this is how a crash names the function it happened in.
extension ELFFile {
    /// Finds the function whose code is at a place of the file; `nil` if no table has one.
    ///
    /// - Parameter offset: The place, in bytes from the beginning of the file.
    package func function(atOffset offset: UInt64) throws(ELFError) -> ELFFunction? {
        let segment = segments.first { segment in
            segment.kind == .load && offset >= segment.offset
                && offset - segment.offset < segment.fileSize
        }
        guard let segment else { return nil }
        let (address, overflows) = segment.address.addingReportingOverflow(offset - segment.offset)
        guard !overflows else { return nil }
        let sections = try source.sections(header)
        for kind in [ELFSection.Kind.symbols, .dynamicSymbols] {
            for section in sections where section.kind == kind {
                if let found = try function(at: address, in: section, of: sections) { return found }
            }
        }
        return nil
    }

    private func function(
        at address: UInt64, in section: ELFSection, of sections: [ELFSection]
    ) throws(ELFError) -> ELFFunction? {
        guard sections.indices.contains(Int(section.link)) else { throw .malformed(.symbols) }
        let bytes = try source.bytes(
            at: section.offset, count: section.fileSize, limit: ELFStrings.maximumSize, of: .symbols
        )
        for start in stride(from: 0, through: bytes.count - ELFSymbol.size, by: ELFSymbol.size) {
            let fields = ELFBytes(bytes.dropFirst(start))
            let (value, size): (UInt64, UInt64) = (fields.integer(at: 8), fields.integer(at: 16))
            guard
                fields.integer(at: 4, as: UInt8.self) & 0xf == ELFSymbol.Kind.function.rawValue,
                fields.integer(at: 6, as: UInt16.self) != 0,
                address >= value, address - value < size
            else { continue }
            let name = try name(
                at: UInt64(fields.integer(at: 0, as: UInt32.self)),
                in: sections[Int(section.link)])
            return ELFFunction(name: name, offset: address - value)
        }
        return nil
    }

    /// Reads a name, which has to begin and end in its section.
    private func name(at offset: UInt64, in section: ELFSection) throws(ELFError) -> String {
        guard offset < section.fileSize else { throw .malformed(.symbols) }
        let (start, overflows) = section.offset.addingReportingOverflow(offset)
        guard !overflows else { throw .malformed(.symbols) }
        let count = min(section.fileSize - offset, UInt64(ELFStrings.maximumLength))
        let bytes = try source.bytes(at: start, count: count, of: .symbols)
        guard let end = bytes.firstIndex(of: 0) else { throw .malformed(.symbols) }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
