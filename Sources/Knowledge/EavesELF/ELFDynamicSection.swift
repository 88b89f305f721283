// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The part of a shared object that the dynamic linker reads: names, libraries, tables of symbols.
package struct ELFDynamicSection: Hashable, Sendable {
    /// The tags that the reader uses, named as in the ELF specification, without `DT_`.
    enum Tag: UInt64, Sendable {
        case null = 0
        case needed = 1
        case hash = 4
        case strtab = 5
        case symtab = 6
        case rela = 7
        case relaSize = 8
        case strsz = 10
        case syment = 11
        case soname = 14
        case rpath = 15
        case runpath = 29
        case flags = 30
        case auxiliary = 0x7fff_fffd
        case filter = 0x7fff_ffff
        case gnuHash = 0x6fff_fef5
        case verdef = 0x6fff_fffc
    }

    /// The name by which other objects need this one (`DT_SONAME`).
    package let soname: String?
    package let libraries: LinkedLibraries

    let strings: ELFStrings
    private let entries: [Entry]

    private struct Entry: Hashable, Sendable {
        let tag: Tag
        let value: UInt64
    }

    func value(of tag: Tag) -> UInt64? { Self.value(of: tag, in: entries) }

    private static func value(of tag: Tag, in entries: [Entry]) -> UInt64? {
        entries.last { $0.tag == tag }?.value
    }

    init(_ elf: borrowing ELFFile) throws(ELFError) {
        let entries = try Self.entries(of: elf)
        let strings = try ELFStrings(
            at: Self.value(of: .strtab, in: entries), size: Self.value(of: .strsz, in: entries),
            in: elf)
        var libraries = LinkedLibraries()
        for entry in entries {
            switch entry.tag {
            case .needed, .filter: libraries.needed.append(try strings.text(at: entry.value))
            case .auxiliary: libraries.auxiliaries.append(try strings.text(at: entry.value))
            default: break
            }
        }
        func text(_ tag: Tag) throws(ELFError) -> String? {
            guard let offset = Self.value(of: tag, in: entries) else { return nil }
            return try strings.text(at: offset)
        }
        libraries.rpath = try text(.rpath)
        libraries.runpath = try text(.runpath)
        soname = try text(.soname)
        self.entries = entries
        self.strings = strings
        self.libraries = libraries
    }

    private static func entries(
        of elf: borrowing ELFFile
    ) throws(ELFError) -> [Entry] {
        let entrySize = 16
        guard let segment = elf.segments.first(where: { $0.kind == .dynamic }) else {
            throw .malformed(.dynamicSection)
        }
        let bytes = try elf.source.bytes(
            at: segment.offset, count: segment.fileSize, limit: 16 << 10, of: .dynamicSection)
        var entries: [Entry] = []
        for start in stride(from: 0, through: bytes.count - entrySize, by: entrySize) {
            let fields = ELFBytes(bytes.dropFirst(start))
            guard let tag = Tag(rawValue: fields.integer(at: 0)) else { continue }
            if tag == .null { break }
            entries.append(Entry(tag: tag, value: fields.integer(at: 8)))
        }
        return entries
    }
}

extension ELFFile {
    /// Reads the dynamic section and the table of its strings.
    package func dynamicSection() throws(ELFError) -> ELFDynamicSection {
        try ELFDynamicSection(self)
    }
}

/// The table of the names that the dynamic section and the symbols refer to.
struct ELFStrings: Hashable, Sendable {
    /// Larger than any module's table: the reader never allocates memory because of a size that the
    /// file only claims. In bytes.
    static let maximumSize: UInt64 = 64 << 20
    /// The limit of one name: all names may overlap, so the limit of the table is not enough. In
    /// bytes.
    static let maximumLength = 16 << 10

    private let bytes: ArraySlice<UInt8>

    init(at address: UInt64?, size: UInt64?, in elf: borrowing ELFFile) throws(ELFError) {
        guard let address, let size else { throw .malformed(.dynamicSection) }
        bytes = try elf.bytes(
            atAddress: address, count: size, limit: Self.maximumSize, of: .dynamicSection)
    }

    /// The text from `offset` up to the next zero byte.
    func text(at offset: UInt64) throws(ELFError) -> String {
        guard offset < UInt64(bytes.count) else { throw .malformed(.dynamicSection) }
        let rest = bytes.dropFirst(Int(offset)).prefix(Self.maximumLength)
        guard let end = rest.firstIndex(of: 0) else { throw .malformed(.dynamicSection) }
        return String(decoding: rest[..<end], as: UTF8.self)
    }
}
