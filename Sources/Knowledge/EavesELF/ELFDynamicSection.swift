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

/// The table of the names that the dynamic section and the symbols refer to.
struct ELFStrings: Hashable, Sendable {
    /// Larger than any module's table: the reader never allocates memory because of a size that the
    /// file only claims. In bytes.
    static let maximumSize: UInt64 = 64 << 20
    /// The limit of one name: all names may overlap, so the limit of the table is not enough. In bytes.
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

/// The libraries and the dynamic symbols of a shared object, as the dynamic linker would read them.
/// Reading them costs more than the catalog's checks, so it happens only where they are needed.
package struct BinaryReport: Hashable, Sendable {
    package let machine: ELFMachine
    /// The name by which other objects need this one (`DT_SONAME`).
    package let soname: String?
    package let libraries: LinkedLibraries
    /// Whether its symbols have versions, so that users of them find no other library's.
    package let hasVersions: Bool
    /// Whether loading the object makes the stacks of the process executable.
    package let wantsExecutableStack: Bool
    /// How much static memory of each thread its variables take, which code reaches without a call (`initial-exec`). In bytes.
    package let staticMemory: Int
    /// The dynamic symbols, in the order of the file.
    package let symbols: [ELFSymbol]

    package init(_ elf: borrowing ELFFile) throws(ELFError) {
        let dynamic = try elf.dynamicSection()
        machine = elf.header.machine
        soname = dynamic.soname
        libraries = dynamic.libraries
        hasVersions = dynamic.value(of: .verdef) != nil
        wantsExecutableStack = elf.wantsExecutableStack
        staticMemory = try elf.staticMemory(dynamic)
        symbols = try elf.symbols(of: dynamic)
    }

    package init(of path: String) throws(ELFError) {
        try self.init(ELFFile(path))
    }

    /// The names of the libraries that the object is linked to, in order.
    package var needed: [String] { libraries.needed }

    /// Whether the object exports a function of this name. Data of this name does not count.
    package func defines(function name: String) -> Bool {
        symbols.contains { $0.name == name && $0.isDefined && $0.kind == .function }
    }

    package func definedNames(startingWith prefix: String = "") -> [String] {
        symbols.filter { $0.isDefined && $0.name.hasPrefix(prefix) }.map(\.name)
    }

    /// The names of the symbols that start with `prefix` and that other objects have to define.
    package func undefinedNames(startingWith prefix: String = "") -> [String] {
        symbols.filter { !$0.isDefined && $0.name.hasPrefix(prefix) }.map(\.name)
    }
}

extension ELFFile {
    package func dynamicSection() throws(ELFError) -> ELFDynamicSection {
        try ELFDynamicSection(self)
    }

    // MARK: The places into which the dynamic linker writes addresses, once a file is mapped

    static let relocationSize = 24
    /// More entries than any module has: the reader never allocates memory because of a size that the file only claims.
    static let maximumRelocations = 1 << 21

    func relocations(_ dynamic: ELFDynamicSection) throws(ELFError) -> ArraySlice<UInt8> {
        guard let address = dynamic.value(of: .rela), let size = dynamic.value(of: .relaSize)
        else { return [] }
        return try bytes(
            atAddress: address, count: size,
            limit: UInt64(Self.maximumRelocations * Self.relocationSize), of: .relocations)
    }

    fileprivate func staticMemory(_ dynamic: ELFDynamicSection) throws(ELFError) -> Int {
        let isStatic: UInt64 = 0x10
        guard (dynamic.value(of: .flags) ?? 0) & isStatic != 0,
            let own = segments.first(where: { $0.kind == .threadLocal }),
            let symbols = dynamic.value(of: .symtab)
        else { return 0 }
        // `R_X86_64_TPOFF64` and `R_AARCH64_TLS_TPREL64`.
        let kind: UInt32 = header.machine == .aarch64 ? 1030 : 18
        let (bytes, size) = (try relocations(dynamic), Self.relocationSize)
        for start in stride(from: bytes.startIndex, through: bytes.endIndex - size, by: size) {
            let entry = ELFBytes(bytes[start..<start + size])
            guard entry.integer(at: 8, as: UInt32.self) == kind else { continue }
            let symbol = UInt64(entry.integer(at: 12, as: UInt32.self))
            if symbol == 0 { return Int(clamping: own.memorySize) }
            let fields = try fields(
                atAddress: symbols &+ symbol * UInt64(ELFSymbol.size),
                count: UInt64(ELFSymbol.size), of: .symbols)
            // A variable of another file is in that file's memory.
            if fields.integer(at: 6, as: UInt16.self) != 0 { return Int(clamping: own.memorySize) }
        }
        return 0
    }
}
