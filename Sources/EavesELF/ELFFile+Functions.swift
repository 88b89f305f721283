// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Which function it was: for telling where a module crashed.
extension ELFFile {
    /// More than any module has; memory is never taken on the word of a file. In bytes.
    private static let maximumTable: UInt64 = 64 << 20
    /// In bytes.
    private static let maximumName: UInt64 = 16 << 10

    /// A section of the file that is looked at here.
    private struct Section {
        /// The linker's own table, which knows of private functions too; unless it was stripped.
        static let symbols: UInt32 = 2
        static let dynamicSymbols: UInt32 = 11
        static let size = 64

        let type: UInt32
        let link: UInt32
        let offset: UInt64
        let length: UInt64

        init(_ bytes: ArraySlice<UInt8>) {
            let fields = ELFBytes(bytes)
            type = fields.integer(at: 4)
            offset = fields.integer(at: 24)
            length = fields.integer(at: 32)
            link = fields.integer(at: 40)
        }
    }

    /// The function that has its code at a place of the file; `nil` if no table knows of one.
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
        for type in [Section.symbols, Section.dynamicSymbols] {
            for section in sections where section.type == type {
                if let found = try function(at: address, in: section, of: sections) { return found }
            }
        }
        return nil
    }

    private func sections() throws(ELFError) -> [Section] {
        let table = header.sections
        guard table.offset > 0, table.entrySize == Section.size else { return [] }
        let length = table.count * table.entrySize
        let bytes = try source.bytes(at: table.offset, count: length, limit: length, of: .header)
        return stride(from: 0, to: bytes.count, by: Section.size).map {
            Section(bytes.dropFirst($0))
        }
    }

    private func function(
        at address: UInt64, in section: Section, of sections: [Section]
    ) throws(ELFError) -> ELFFunction? {
        guard sections.indices.contains(Int(section.link)) else { throw .malformed(.symbols) }
        let bytes = try source.bytes(
            at: section.offset, count: section.length, limit: Self.maximumTable, of: .symbols)
        let function: UInt8 = 2
        for start in stride(from: 0, through: bytes.count - ELFSymbol.size, by: ELFSymbol.size) {
            let fields = ELFBytes(bytes.dropFirst(start))
            let (value, size): (UInt64, UInt64) = (fields.integer(at: 8), fields.integer(at: 16))
            guard fields.integer(at: 4, as: UInt8.self) & 0xf == function,
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

    private func name(at offset: UInt64, in section: Section) throws(ELFError) -> String {
        guard offset < section.length else { throw .malformed(.symbols) }
        let (start, overflows) = section.offset.addingReportingOverflow(offset)
        guard !overflows else { throw .malformed(.symbols) }
        let count = min(section.length - offset, Self.maximumName)
        let bytes = try source.bytes(at: start, count: count, limit: count, of: .symbols)
        guard let end = bytes.firstIndex(of: 0) else { throw .malformed(.symbols) }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
