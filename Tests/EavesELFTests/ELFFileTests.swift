// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@Suite("Reading an ELF file")
struct ELFFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func error(of bytes: [UInt8]) throws -> ELFError? {
        let path = try folder.write(bytes, to: "module.so")
        return Result { () throws(ELFError) in _ = try ELFFile(path) }.failure
    }

    @Test(
        "finds header, segments and notes of binaries from the compilers here",
        arguments: CCompiler.all
    )
    func wholeFile(compiler: CCompiler) throws {
        let bytes = try compiler.compile(Binaries.source(note: "{}"))
        let file = try ELFFile(folder.write(bytes, to: "module.so"))
        #expect(file.header.kind == .sharedObject)
        #expect(file.header.machine == .current)
        #expect(file.segments.contains { $0.kind == .load })
        #expect(file.status.size == bytes.count)
        let note = try #require(file.notes().first { $0.owner == "FDO" })
        #expect(note.type == 0xcafe_1a7e)
        #expect(note.content.starts(with: Array("{}".utf8)))
    }

    @Test("finds a note that stands beyond the first page", arguments: CCompiler.all)
    func farNote(compiler: CCompiler) throws {
        let before = Binaries.source(note: "other", owner: "ZZZ")
            .replacing(".note.package", with: ".note.before")
            .replacing(" note =", with: " before =").replacing(Binaries.entry, with: "")
        let bytes = try compiler.compile(
            before + "\n#undef NOTE\n" + Binaries.source(note: "{ }"))
        let path = try folder.write(bytes, to: "module.so")
        let notes = try ELFFile(path).notes().filter { $0.content.count == Binaries.room }
        #expect(notes.map(\.owner) == ["ZZZ", "FDO"])
        #expect(notes.last?.content.starts(with: Array("{ }".utf8)) == true)
    }

    @Test("aligns notes as their segment says", arguments: CCompiler.all)
    func alignedNotes(compiler: CCompiler) throws {
        let source = """
            struct note { unsigned owner_size, content_size, type; char owner[4], content[8]; };
            __attribute__((section(".note.eight"), used, aligned(8)))
            static const struct note notes[] = {
                { 4, 4, 1, "ONE", "abcd" }, { 4, 3, 2, "TWO", "efg" },
            };
            \(Binaries.entry)
            """
        let file = try ELFFile(folder.write(compiler.compile(source), to: "module.so"))
        #expect(file.segments.contains { $0.kind == .note && $0.alignment == 8 })
        let notes = try file.notes().filter { ["ONE", "TWO"].contains($0.owner) }
        #expect(notes.map(\.type) == [1, 2])
        #expect(notes.map(\.content) == [Array("abcd".utf8), Array("efg".utf8)])
    }

    @Test("takes no more memory than a module's notes and dynamic section need")
    func limits() throws {
        let bytes = try Binaries.module.get()
        let path = try folder.write(bytes + Array(repeating: 0, count: 2 << 20), to: "module.so")
        let whole = try ELFFile(path)
        /// The first loaded segment is as large, too, so that the part lies in it.
        func damaged(_ kind: ELFSegment.Kind, size: UInt64) throws -> String {
            let index = try #require(whole.segments.firstIndex { $0.kind == kind })
            let part = whole.segments[index]
            let loaded = whole.segments.firstIndex {
                $0.kind == .load && $0.address <= part.address
                    && part.address - $0.address < $0.fileSize
            }
            var bytes = try Files.read(path)
            let holder = try #require(loaded)
            for (index, size) in [(index, size), (holder, size + part.offset)] {
                let field = Int(whole.header.segments.offset) + 56 * index + 32
                bytes = bytes.patched(field..<field + 8, with: size)
                    .patched(field + 8..<field + 16, with: size)
            }
            return try folder.write(bytes, to: "damaged.so")
        }
        let large = try CCompiler.first().compile(
            Binaries.source(note: "{}").replacing(
                "content[\(Binaries.room)]", with: "content[1 << 20]"))
        let notes = try folder.write(large, to: "large.so")
        #expect(throws: ELFError.malformed(.notes)) { try ELFFile(notes).notes() }
        let dynamic = try damaged(.dynamic, size: (16 << 10) + 16)
        #expect(throws: ELFError.malformed(.dynamicSection)) {
            try ELFFile(dynamic).dynamicSection()
        }
    }

    @Test("refuses segments that no dynamic linker could map")
    func impossibleSegments() throws {
        let bytes = try Binaries.module.get()
        let file = try ELFFile(folder.write(bytes, to: "whole.so"))
        let loaded = file.segments.indices.filter { file.segments[$0].kind == .load }
        let dynamic = try #require(file.segments.firstIndex { $0.kind == .dynamic })
        let (first, second) = (loaded[0], loaded[1])
        /// The place of a field of a program header.
        func field(_ index: Int, _ offset: Int, _ width: Int = 8) -> Range<Int> {
            let start = Int(file.header.segments.offset) + 56 * index + offset
            return start..<start + width
        }
        let end = file.segments[first].address + file.segments[first].memorySize
        let cases: [(field: Range<Int>, value: UInt64, error: ELFError?)] = [
            // The second one begins before the first one ends.
            (field(second, 16), end - 1, .malformed(.segments)),
            (field(second, 16), .max, .malformed(.segments)),
            // More bytes in the file than in memory.
            (field(first, 40), file.segments[first].fileSize - 1, .malformed(.segments)),
            (field(first, 40), .max, .malformed(.segments)),
            (field(dynamic, 0, 4), 0, .malformed(.dynamicSection)),
        ]
        for (field, value, expected) in cases {
            #expect(try error(of: bytes.patched(field, with: value)) == expected, "\(field)")
        }
        let none = loaded.reduce(bytes) { $0.patched(field($1, 0, 4), with: 0) }
        #expect(try error(of: none) == .malformed(.segments))
    }

    @Test("refuses files that are not shared objects")
    func otherKinds() throws {
        #expect(try error(of: []) == .empty)
        #expect(
            try error(of: Array("hello world".utf8)) == .notELF(start: Array("hello wo".utf8)))
        #expect(try error(of: Array("#!".utf8)) == .notELF(start: Array("#!".utf8)))
        #expect(try error(of: Array(repeating: 0, count: 9000)) != nil)
        #expect(try error(of: Binaries.executable.get()) == .executable)
        #expect(try error(of: Binaries.fixedExecutable.get()) == .notSharedObject(.executable))
        #expect(try error(of: Binaries.object.get()) == .notSharedObject(.object))
    }

    @Test("refuses another class, byte order and version of the format, and other systems")
    func otherIdentity() throws {
        let cases: [(offset: Int, value: UInt8, ELFError)] = [
            (4, 1, .wrongClass), (4, 7, .malformed(.header)),
            (5, 2, .wrongByteOrder), (5, 0, .malformed(.header)),
            (6, 2, .malformed(.header)), (20, 0, .malformed(.header)),
            (7, 9, .wrongSystem(9)), (7, 255, .wrongSystem(255)), (8, 1, .malformed(.header)),
            (9, 1, .malformed(.header)), (15, 128, .malformed(.header)),
        ]
        for (offset, value, expected) in cases {
            var bytes = try Binaries.module.get()
            bytes[offset] = value
            #expect(try error(of: bytes) == expected)
        }
    }

    @Test("takes files for any Unix and for Linux, and names other systems")
    func systems() throws {
        var bytes = try Binaries.module.get()
        for system: UInt8 in [0, 3] {
            bytes[7] = system
            #expect(try error(of: bytes) == nil)
        }
        #expect(ELFError.wrongSystem(9).message == "built for FreeBSD, this host runs on Linux")
        #expect(
            ELFError.wrongSystem(97).message
                == "built for the system with the number 97 (EI_OSABI), this host runs on Linux")
    }

    @Test("says how much of a truncated file is missing")
    func truncated() throws {
        let bytes = try Binaries.module.get()
        let size = UInt64(bytes.count)
        #expect(try error(of: bytes.dropLast()) == .truncated(needs: size, has: size - 1))
        #expect(try error(of: Array(bytes.prefix(40))) == .truncated(needs: 64, has: 40))
    }

    @Test("believes no count, offset or size of a damaged header")
    func impossibleTables() throws {
        // The offset and width of a field of the header, and what it is overwritten with.
        let cases: [(field: Range<Int>, value: UInt64, ELFError)] = [
            (54..<56, 55, .malformed(.programHeaders)),
            (56..<58, 0, .malformed(.programHeaders)),
            (56..<58, 0xffff, .malformed(.programHeaders)),
        ]
        for (field, value, expected) in cases {
            let bytes = try Binaries.module.get().patched(field, with: value)
            #expect(try error(of: bytes) == expected)
        }
        for field in [32..<40, 40..<48] {
            for value: UInt64 in [.max, .max - 63, 1 << 63, 1 << 40] {
                let bytes = try Binaries.module.get().patched(field, with: value)
                guard case .truncated = try error(of: bytes) else {
                    Issue.record("field \(field) with \(value) was believed")
                    continue
                }
            }
        }
    }

    @Test("a named pipe, a directory, a device and a socket are refused without waiting")
    func specialFiles() throws {
        let pipe = Path.join(folder.path, "pipe.so")
        #expect(mkfifo(pipe, 0o600) == 0)
        let cases: [(String, FileStatus.Kind)] = [
            (pipe, .pipe), (try folder.createFolder("folder.so"), .directory),
            ("/dev/null", .device), ("/dev/zero", .device),
        ]
        for (path, kind) in cases {
            let error = #expect(throws: ELFError.self) { _ = try ELFFile(path) }
            #expect(error == .notAFile(kind))
        }
    }

    @Test("a missing file is unreadable")
    func missing() throws {
        let path = Path.join(folder.path, "none.so")
        let error = #expect(throws: ELFError.self) { _ = try ELFFile(path) }
        #expect(error == .unreadable(SystemError(.inspect, path, .noSuchFile)))
    }
}
