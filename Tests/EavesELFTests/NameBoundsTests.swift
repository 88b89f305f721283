// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EavesELF

/// A name begins and ends in its table of strings, whatever the file claims.
@Suite("The bounds of names")
struct NameBoundsTests {
    private let folder: TemporaryFolder
    private let bytes: [UInt8]
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        bytes = try CCompiler.first().compile(
            """
            extern int wanted_function(void);
            int shown_function(void) { return wanted_function() + 1; }
            """, ["-shared", "-Wl,-soname,module.so", "-Wl,--hash-style=gnu"])
        path = try folder.write(bytes, to: "module.so")
    }

    /// Reads the binary with a number written over a field of 4 or 8 bytes.
    private func report(
        _ offset: UInt64, _ width: Int, _ value: UInt64
    ) throws -> Result<BinaryReport, ELFError> {
        let field = Int(offset)..<Int(offset) + width
        let damaged = try folder.write(bytes.patched(field, with: value), to: "damaged.so")
        return Result { () throws(ELFError) in try BinaryReport(of: damaged) }
    }

    /// The place of the value of an entry in the dynamic section.
    private func place(of tag: ELFDynamicSection.Tag) throws -> UInt64 {
        let segment = try #require(try ELFFile(path).segments.first { $0.kind == .dynamic })
        let offsets = stride(
            from: segment.offset, to: segment.offset + segment.fileSize, by: 16)
        let entry = offsets.first { ELFBytes(bytes[Int($0)...]).integer(at: 0) == tag.rawValue }
        return try #require(entry) + 8
    }

    @Test("a name that reaches beyond the end of the table of strings is refused")
    func cutTable() throws {
        let whole = try BinaryReport(of: path)
        let field = try place(of: .strsz)
        let size: UInt64 = ELFBytes(bytes[Int(field)...]).integer(at: 0)
        #expect(throws: Never.self) { try report(field, 8, size).get() }
        for size in 0..<size {
            if case .success(let report) = try report(field, 8, size) {
                #expect(report == whole, "\(size) bytes")
            }
        }
        // Some name is the last one.
        #expect(try report(field, 8, size - 1) == .failure(.malformed(.dynamicSection)))
        #expect(try report(field, 8, 0) == .failure(.malformed(.dynamicSection)))
    }

    @Test("the name of the file lies in the table of strings")
    func soname() throws {
        let sizeField = try place(of: .strsz)
        let size: UInt64 = ELFBytes(bytes[Int(sizeField)...]).integer(at: 0)
        let field = try place(of: .soname)
        for offset in [size, size + 1, 1 << 32, 1 << 63, .max] {
            #expect(
                try report(field, 8, offset) == .failure(.malformed(.dynamicSection)),
                "\(offset)")
        }
        // The last byte of the table ends the last name.
        #expect(try report(field, 8, size - 1).get().soname == "")
    }

    @Test("the name of a symbol lies in the table of strings")
    func symbol() throws {
        let elf = try ELFFile(path)
        let dynamic = try elf.dynamicSection()
        let size = try #require(dynamic.value(of: .strsz))
        let address = try #require(dynamic.value(of: .symtab))
        let segment = elf.segments.first { $0.kind == .load && $0.place(of: address) != nil }
        let table = try #require(segment?.place(of: address)?.offset)
        let count = try elf.symbols(of: dynamic).count
        // The first entry of the table is empty.
        let field = table + UInt64(ELFSymbol.size) * UInt64(count)
        for offset in [size, size + 1, 0xffff_ffff] {
            #expect(
                try report(field, 4, offset) == .failure(.malformed(.dynamicSection)),
                "\(offset)")
        }
        #expect(try report(field, 4, size - 1).get().symbols.last?.name == "")
    }

    @Test("the name of a function lies in the section that its table of symbols names")
    func function() throws {
        let elf = try ELFFile(path)
        let sections = try elf.source.sections(elf.header)
        let code = try #require(
            (0..<UInt64(bytes.count)).first {
                try elf.function(atOffset: $0)?.name == "shown_function"
            })
        let symbols = try #require(sections.firstIndex { $0.kind == .symbols })
        let strings = sections[Int(sections[symbols].link)]
        func function(_ offset: UInt64, _ width: Int, _ value: UInt64) throws -> ELFError? {
            let field = Int(offset)..<Int(offset) + width
            let damaged = try folder.write(bytes.patched(field, with: value), to: "damaged.so")
            let elf = try ELFFile(damaged)
            return Result { () throws(ELFError) in try elf.function(atOffset: code) }.failure
        }
        let table = sections[symbols].offset
        let entries = stride(
            from: table, to: table + sections[symbols].fileSize, by: ELFSymbol.size)
        func name(_ entry: UInt64) -> UInt64 {
            UInt64(ELFBytes(bytes[Int(entry)...]).integer(at: 0, as: UInt32.self))
        }
        let entry = try #require(
            entries.first {
                let start = Int(strings.offset + name($0))
                return bytes[start...].starts(with: Array("shown_function\0".utf8))
            })
        for offset in [strings.fileSize, strings.fileSize + 1, 0xffff_ffff] {
            #expect(try function(entry, 4, offset) == .malformed(.symbols), "\(offset)")
        }
        // The section ends in the middle of the name: the next section's bytes are none of it.
        let header = elf.header.sections.offset
        let size = header + 64 * UInt64(sections[symbols].link) + 32
        #expect(try function(size, 8, name(entry) + 5) == .malformed(.symbols))
        #expect(try function(size, 8, name(entry) + 15) == nil)
        // The table names a section that is not there.
        let link = header + 64 * UInt64(symbols) + 40
        #expect(try function(link, 4, UInt64(sections.count)) == .malformed(.symbols))
    }
}
