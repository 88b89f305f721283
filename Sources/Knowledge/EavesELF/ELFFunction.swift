// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A place in a function, as the tables of symbols describe it.
package struct ELFFunction: Hashable, Sendable {
    /// The symbol's name, mangled.
    package let name: String
    /// The distance from the beginning of the function, in bytes.
    package let offset: UInt64
}

// Finds the function of a place in the file: this is how a crash names the function it happened in.
extension ELFFile {
    /// Larger than any module's table: the reader never allocates memory because of a size that the
    /// file only claims. In bytes.
    private static let maximumTable: UInt64 = 64 << 20
    /// In bytes.
    private static let maximumName: UInt64 = 16 << 10

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
        let sections = try sections()
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
            at: section.offset, count: section.fileSize, limit: Self.maximumTable, of: .symbols)
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
        let count = min(section.fileSize - offset, Self.maximumName)
        let bytes = try source.bytes(at: start, count: count, of: .symbols)
        guard let end = bytes.firstIndex(of: 0) else { throw .malformed(.symbols) }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
