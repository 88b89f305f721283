// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesELF

@Suite("The table of segments")
struct SegmentCheckTests {
    private let folder: TemporaryFolder
    private let bytes: [UInt8]
    private let whole: [ELFSegment]
    private let table: Int

    init() throws {
        folder = try TemporaryFolder()
        bytes = try CCompiler.first().compile(
            "static __thread int number = 1;\nint zeros[99];\n"
                + "int *place(void) { return &number; }\n" + Binaries.source(note: "{}"))
        let file = try ELFFile(folder.write(bytes, to: "whole.so"))
        whole = file.segments
        table = Int(file.header.segments.offset)
    }

    /// The fields of a program header that a test overwrites, with their places.
    enum Field: Int {
        case access = 4, offset = 8, address = 16, fileSize = 32, memorySize = 40, alignment = 48
    }

    private func error(
        _ kind: ELFSegment.Kind, _ fields: Field..., change: (UInt64) -> UInt64
    ) throws -> ELFError? {
        let index = try #require(whole.firstIndex { $0.kind == kind }, "\(kind)")
        var changed = bytes
        for field in fields {
            let width = field == .access ? 4 : 8
            let start = table + ELFSegment.size * index + field.rawValue
            let old: UInt64 =
                width == 4
                ? UInt64(ELFBytes(bytes[start...]).integer(at: 0, as: UInt32.self))
                : ELFBytes(bytes[start...]).integer(at: 0)
            changed = changed.patched(start..<start + width, with: change(old))
        }
        let path = try folder.write(changed, to: "changed.so")
        return Result { () throws(ELFError) in _ = try ELFFile(path) }.failure
    }

    @Test("lets each part lie in a loaded segment, at the same place in memory and in the file")
    func parts() throws {
        for kind in [ELFSegment.Kind.note, .dynamic, .unwindTable] {
            let expected: ELFError = .malformed(kind == .dynamic ? .dynamicSection : .segments)
            for field in [Field.address, .offset] {
                for change in [UInt64(1 << 40), 1 << 63, 8] {
                    #expect(try error(kind, field) { $0 ^ change } == expected, "\(kind)")
                }
            }
            #expect(try error(kind, .memorySize) { _ in 1 << 40 } == expected)
            #expect(try error(kind, .memorySize) { $0 - 1 } == expected)
        }
        let dynamic = try #require(whole.first { $0.kind == .dynamic })
        let loaded = try #require(
            whole.first { $0.kind == .load && $0.place(of: dynamic.address) != nil })
        // The zeros at the end of the memory are not in the file.
        let room = loaded.memorySize - (dynamic.address - loaded.address)
        #expect(
            try error(.dynamic, .fileSize, .memorySize) { _ in room }
                == .malformed(.dynamicSection))
        #expect(
            try error(.dynamic, .access) { $0 | 1 } == .malformed(.dynamicSection),
            "its memory is not executable")
    }

    @Test(
        "reads notes in the file that strip has left at address 0, where the dynamic linker reads none"
    )
    func stripped() throws {
        let note = try #require(whole.first { $0.kind == .note })
        for (alignment, expected) in [(4, nil), (8, ELFError.malformed(.segments))] {
            // The addresses are larger than the alignment.
            let found = try error(.note, .address, .alignment) {
                $0 == note.alignment ? UInt64(alignment) : 0
            }
            #expect(found == expected)
        }
        #expect(try ELFFile(folder.file("whole.so")).notes() != [])
        #expect(
            try error(.note, .address, .memorySize) { $0 == note.address ? 0 : 1 << 40 }
                == .malformed(.segments))
    }

    @Test("lets memory that becomes read-only lie in one loaded segment")
    func readOnly() throws {
        #expect(try error(.readOnlyLater, .address) { $0 + (1 << 30) } == .malformed(.segments))
        #expect(try error(.readOnlyLater, .memorySize) { $0 + (1 << 30) } == .malformed(.segments))
        #expect(try error(.readOnlyLater, .memorySize) { _ in .max } == .malformed(.segments))
    }

    @Test("gives each thread a copy of something that the file has")
    func threadLocal() throws {
        #expect(try error(.threadLocal, .address) { $0 + (1 << 30) } == .malformed(.segments))
        #expect(try error(.threadLocal, .alignment) { _ in 3 } == .malformed(.segments))
        #expect(try error(.threadLocal, .memorySize) { _ in 1 << 29 } == .malformed(.segments))
        #expect(try error(.threadLocal, .memorySize) { _ in 0 } == .malformed(.segments))
        // The memory after the file's part would be read as the first values.
        #expect(
            try error(.threadLocal, .fileSize, .memorySize) { _ in 1 << 20 }
                == .malformed(.segments))
    }

    @Test("loads segments on pages, and no more than the memory has addresses")
    func loaded() throws {
        for alignment: UInt64 in [0, 1, 16, 2048, 4097, 3 << 12, 1 << 31, 1 << 63] {
            #expect(
                try error(.load, .alignment) { _ in alignment } == .malformed(.segments),
                "\(alignment)")
        }
        #expect(try error(.load, .offset) { $0 + 8 } == .malformed(.segments))
        // Its rest would be filled with zeros, but it is not writable.
        #expect(try error(.load, .memorySize) { $0 + 8 } == .malformed(.segments))
        #expect(try error(.load, .fileSize) { $0 - 8 } == .malformed(.segments))
    }

    @Test("is believed for the libraries of this machine")
    func libraries() throws {
        var count = 0
        let maps = try OpenFile(reading: "/proc/self/maps").bytes(at: 0, count: 1 << 20)
        for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
            // Other tests load files that are gone by now.
            guard let slash = line.firstIndex(of: "/"), line[slash...].contains(".so"),
                line[slash...].hasPrefix("/usr/") || line[slash...].contains("/swift/")
            else { continue }
            do throws(ELFError) {
                _ = try ELFFile(String(line[slash...]))
            } catch .executable {
                // The C library can be run.
            } catch {
                Issue.record("\(line): \(error)")
            }
            count += 1
        }
        #expect(count > 5)
    }
}
