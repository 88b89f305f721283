// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// One section header: a part of the file as the linker sees it. The dynamic linker needs none, and
/// tools like `sstrip` remove the whole table.
struct ELFSection {
    enum Kind: UInt32 {
        /// Bytes whose meaning only the section's name tells.
        case content = 1
        /// The linker's own table of symbols, which also has private functions, unless it was stripped.
        case symbols = 2
        /// The dynamic linker's table of symbols.
        case dynamicSymbols = 11
    }

    /// The size of an entry in the file's table, in bytes.
    static let size = 64

    /// `nil` for the kinds that the reader does not use.
    let kind: Kind?
    /// Where the section's name begins, in the section of the names.
    let name: UInt32
    let address: UInt64
    let offset: UInt64
    let fileSize: UInt64
    /// The index of another section: for a table of symbols, that of its names.
    let link: UInt32
    let alignment: UInt64
    /// Whether the section has bytes in the file. Memory that is zeros at the start has none, nor has the empty
    /// entry that a table begins with.
    let isInFile: Bool

    /// The kinds without bytes: `SHT_NULL` and `SHT_NOBITS`.
    private static let kindsWithoutBytes: [UInt32] = [0, 8]

    /// - Parameter bytes: At least ``size`` bytes.
    init(_ bytes: ArraySlice<UInt8>) {
        let bytes = ELFBytes(bytes)
        name = bytes.integer(at: 0)
        kind = Kind(rawValue: bytes.integer(at: 4))
        address = bytes.integer(at: 16)
        offset = bytes.integer(at: 24)
        fileSize = bytes.integer(at: 32)
        link = bytes.integer(at: 40)
        alignment = bytes.integer(at: 48)
        isInFile = !Self.kindsWithoutBytes.contains(bytes.integer(at: 4))
    }
}

extension ELFFile {
    /// Reads the content of the first section with a name. The section need not be loaded.
    ///
    /// - Parameter limit: More bytes than this are malformed.
    /// - Returns: `nil` if there is no such section.
    package func section(named name: String, limit: Int) throws(ELFError) -> [UInt8]? {
        try source.section(named: name, header, limit: limit)
    }
}

extension ELFSource {
    /// More names of sections than any linker writes. In bytes.
    private static let maximumNames: UInt64 = 1 << 20

    /// Reads the table of sections; empty if the file has none.
    func sections(_ header: ELFHeader) throws(ELFError) -> [ELFSection] {
        let table = header.sections
        guard table.offset > 0, table.entrySize == ELFSection.size else { return [] }
        let length = table.count * table.entrySize
        let bytes = try bytes(at: table.offset, count: length, of: .header)
        return stride(from: 0, to: bytes.count, by: ELFSection.size).map {
            ELFSection(bytes.dropFirst($0))
        }
    }

    /// Reads the content of the first section with a name of an object file, which no linker has seen yet.
    ///
    /// - Returns: `nil` if there is no such section.
    package static func section(
        named name: String, ofObject path: String, limit: Int
    ) throws(ELFError) -> [UInt8]? {
        let source = try ELFSource(path)
        let header = try ELFHeader(start: source.page[...])
        guard header.kind == .object else { throw .notSharedObject(header.kind) }
        return try source.section(named: name, header, limit: limit)
    }

    fileprivate func section(
        named name: String, _ header: ELFHeader, limit: Int
    ) throws(ELFError) -> [UInt8]? {
        guard let found = try section(named: name, header) else { return nil }
        return Array(
            try bytes(at: found.offset, count: found.fileSize, limit: UInt64(limit), of: .header))
    }

    /// The first section with a name and content; `nil` if there is none.
    func section(named name: String, _ header: ELFHeader) throws(ELFError) -> ELFSection? {
        let sections = try sections(header)
        guard sections.indices.contains(header.sectionNames) else { return nil }
        let place = sections[header.sectionNames]
        let names = try bytes(
            at: place.offset, count: place.fileSize, limit: Self.maximumNames, of: .header)
        let wanted = Array(name.utf8) + [0]
        return sections.first { section in
            section.kind == .content && names.dropFirst(Int(section.name)).starts(with: wanted)
        }
    }
}

/// An object file with one section of bytes, which a linker copies into what it links.
///
/// The section is not loaded: it takes no memory in a process that loads the linked file.
package struct ELFSectionObject: Sendable {
    package let bytes: [UInt8]

    /// - Parameter object: An object file for the same machine, from which the header is taken: linkers compare
    ///   the machine, and on some machines flags.
    /// - Throws: ``ELFError`` if that is not an object file.
    package init(
        section name: String, content: [UInt8], like object: [UInt8]
    ) throws(ELFError) {
        let header = try ELFHeader(start: object[...])
        guard header.kind == .object else { throw .notSharedObject(header.kind) }
        let names = [0] + Array(name.utf8) + [0] + Array(Self.nameOfNames.utf8) + [0]
        var bytes = Array(object.prefix(ELFHeader.size)) + content + names
        let namesOffset = ELFHeader.size + content.count
        bytes += [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
        let table = bytes.count
        // No entry point and no segments; three sections, the last of which has the names.
        Self.set(UInt64(0), at: 24, in: &bytes)
        Self.set(UInt64(0), at: 32, in: &bytes)
        Self.set(UInt64(table), at: 40, in: &bytes)
        let numbers: [UInt16] = [UInt16(ELFHeader.size), 0, 0, UInt16(ELFSection.size), 3, 2]
        for (index, number) in numbers.enumerated() {
            Self.set(number, at: 52 + 2 * index, in: &bytes)
        }
        bytes += [UInt8](repeating: 0, count: ELFSection.size)
        bytes += Self.entry(
            name: 1, type: ELFSection.Kind.content.rawValue, offset: ELFHeader.size,
            size: content.count)
        bytes += Self.entry(
            name: UInt32(name.utf8.count + 2), type: Self.stringTable, offset: namesOffset,
            size: names.count)
        self.bytes = bytes
    }

    private static let nameOfNames = ".shstrtab"
    /// The type of a section that has texts.
    private static let stringTable: UInt32 = 3

    private static func entry(name: UInt32, type: UInt32, offset: Int, size: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: ELFSection.size)
        set(name, at: 0, in: &bytes)
        set(type, at: 4, in: &bytes)
        set(UInt64(offset), at: 24, in: &bytes)
        set(UInt64(size), at: 32, in: &bytes)
        set(UInt64(1), at: 48, in: &bytes)
        return bytes
    }

    private static func set<Value: FixedWidthInteger>(
        _ value: Value, at offset: Int, in bytes: inout [UInt8]
    ) {
        for index in 0..<(Value.bitWidth / 8) {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index))
        }
    }
}
