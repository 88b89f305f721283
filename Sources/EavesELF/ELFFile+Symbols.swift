// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension ELFFile {
    /// More than any module has; memory is never taken on the word of a file.
    private static let maximumSymbols: UInt64 = 1 << 21
    /// For all names together, which can overlap in the file. In bytes.
    private static let maximumNames = 64 << 20

    /// The dynamic symbols that are visible outside, in the order of the file.
    package func symbols(of dynamic: ELFDynamicSection) throws(ELFError) -> [ELFSymbol] {
        guard let table = dynamic.value(of: .symtab) else { return [] }
        guard dynamic.value(of: .syment) ?? 24 == ELFSymbol.size else {
            throw .malformed(.symbols)
        }
        let count = try symbolCount(dynamic)
        guard count <= Self.maximumSymbols else { throw .malformed(.symbols) }
        let length = count * UInt64(ELFSymbol.size)
        let bytes = try bytes(atAddress: table, count: length, limit: length, of: .symbols)
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

    /// The format has no count of the symbols: the hash tables that the loader searches end with
    /// the last one that is defined, and those that are not stand before them. An object that
    /// defines none may have a hash table that knows of none, so the table of sections has a say.
    private func symbolCount(_ dynamic: ELFDynamicSection) throws(ELFError) -> UInt64 {
        var count = try sectionCount(ofTableAt: dynamic.value(of: .symtab)) ?? 0
        if let address = dynamic.value(of: .hash) {
            let bytes = try bytes(atAddress: address, count: 8, limit: 8, of: .symbols)
            count = max(count, UInt64(ELFBytes(bytes).integer(at: 4, as: UInt32.self)))
        }
        if let address = dynamic.value(of: .gnuHash) {
            count = max(count, try gnuHashCount(at: address))
        }
        return count
    }

    /// One more than the largest index that a GNU hash table leads to: the end of the chain that
    /// starts last.
    private func gnuHashCount(at address: UInt64) throws(ELFError) -> UInt64 {
        let header = ELFBytes(
            try bytes(atAddress: address, count: 16, limit: 16, of: .symbols))
        let bucketCount = UInt64(header.integer(at: 0, as: UInt32.self))
        let firstIndex = UInt64(header.integer(at: 4, as: UInt32.self))
        let filterSize = 8 * UInt64(header.integer(at: 8, as: UInt32.self))
        let (buckets, overflows) = address.addingReportingOverflow(16 + filterSize)
        guard !overflows, bucketCount <= Self.maximumSymbols else { throw .malformed(.symbols) }
        let bytes = try bytes(
            atAddress: buckets, count: 4 * bucketCount, limit: 4 * bucketCount, of: .symbols)
        let heads = ELFBytes(bytes)
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

    /// The number of symbols by the table of sections, if it has the same table of symbols.
    private func sectionCount(ofTableAt address: UInt64?) throws(ELFError) -> UInt64? {
        let dynamicSymbols: UInt32 = 11
        let sections = header.sections
        guard sections.offset > 0, sections.entrySize == 64 else { return nil }
        let length = sections.count * sections.entrySize
        let bytes = try source.bytes(
            at: sections.offset, count: length, limit: length, of: .header)
        for start in stride(from: 0, to: bytes.count, by: 64) {
            let fields = ELFBytes(bytes.dropFirst(start))
            guard fields.integer(at: 4, as: UInt32.self) == dynamicSymbols,
                fields.integer(at: 16, as: UInt64.self) == address
            else { continue }
            return fields.integer(at: 32, as: UInt64.self) / UInt64(ELFSymbol.size)
        }
        return nil
    }
}
