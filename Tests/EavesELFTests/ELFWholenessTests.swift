// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@Suite("A file that is being written")
struct ELFWholenessTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func isUnfinished(_ path: String) -> Bool {
        if case .unfinished = ELFWholeness(of: path) { true } else { false }
    }

    @Test("is unfinished as long as it is empty, and broken if it is not there")
    func empty() throws {
        let path = try folder.write([UInt8](), to: "module.so")
        #expect(ELFWholeness(of: path) == .unfinished(.empty))
        let missing = ELFWholeness(of: folder.file("missing.so"))
        guard case .broken = missing else {
            Issue.record("expected a broken file, found \(missing)")
            return
        }
    }

    @Test("is unfinished at any length before its last", arguments: CCompiler.all)
    func truncation(compiler: CCompiler) throws {
        let bytes = try compiler.compile(Binaries.source(note: "{}"))
        let path = try folder.write(bytes, to: "module.so")
        #expect(ELFWholeness(of: path) == .whole)
        for length in Soak.sample((0..<bytes.count).reversed(), every: 20) {
            #expect(truncate(path, length) == 0)
            #expect(isUnfinished(path), "\(length) bytes of \(bytes.count)")
        }
    }

    @Test(
        "is unfinished if it got its size first, until its last byte is there",
        arguments: CCompiler.all)
    func preallocation(compiler: CCompiler) throws {
        let bytes = try compiler.compile(Binaries.source(note: "{}"))
        let path = try folder.write(bytes, to: "module.so")
        let file = try BytePatcher(path)
        let last = try #require(bytes.lastIndex { $0 != 0 })
        let looks = Set(Soak.sample(0...last, every: 20))
        for offset in (0...last).reversed() where bytes[offset] != 0 {
            file.write(0, at: offset)
            guard looks.contains(offset) else { continue }
            // Everything from here on is zero.
            #expect(isUnfinished(path), "zeros from \(offset) on, of \(bytes.count)")
        }
    }

    @Test("is whole as linkers, strip and the Swift compiler leave it")
    func whole() throws {
        for compiler in CCompiler.all {
            for options in [["-shared", "-g"], ["-shared", "-s"], ["-shared", "-Wl,--build-id"]] {
                let bytes = try compiler.compile(Binaries.source(note: "{}"), options)
                let path = try folder.write(bytes, to: "module.so")
                #expect(ELFWholeness(of: path) == .whole, "\(compiler) \(options)")
            }
        }
        for library in ["libswiftCore.so", "libswift_Concurrency.so"] {
            let path = try #require(Self.loadedLibrary(library))
            #expect(ELFWholeness(of: path) == .whole, "\(path)")
        }
    }

    @Test("without a table of sections is unfinished until its segments are there")
    func withoutSections() throws {
        let whole = try Binaries.module(note: "{}")
        let end = try segmentsEnd(of: whole)
        // e_shoff, e_shnum and e_shstrndx
        let bytes = Array(whole.patched(40..<48, with: 0).patched(60..<64, with: 0).prefix(end))
        let path = try folder.write(bytes, to: "module.so")
        #expect(ELFWholeness(of: path) == .whole)
        for length in Soak.sample((0..<end).reversed(), every: 20) {
            #expect(truncate(path, length) == 0)
            #expect(isUnfinished(path), "\(length) bytes of \(end)")
        }
    }

    @Test("is broken, not unfinished, if no further byte would make it a module")
    func broken() throws {
        let module = try Binaries.module(note: "{}")
        let files: [(String, [UInt8], ELFError)] = [
            ("text", Array("#!/bin/sh\n".utf8), .notELF(start: Array("#!/bin/s".utf8))),
            ("32 bits", module.patched(4..<5, with: 1), .wrongClass),
            ("no segments", module.patched(56..<58, with: 0), .malformed(.programHeaders)),
            ("program", try Binaries.executable.get(), .executable),
            ("object", try Binaries.object.get(), .notSharedObject(.object)),
            (
                "sections beyond all bounds", module.patched(40..<48, with: .max - 8),
                .truncated(needs: .max, has: UInt64(module.count))
            ),
        ]
        for (name, bytes, error) in files {
            let path = try folder.write(bytes, to: "file")
            #expect(ELFWholeness(of: path) == .broken(error), "\(name)")
        }
        let missing = ELFWholeness(of: folder.file("missing"))
        guard case .broken(.unreadable) = missing else {
            Issue.record("\(missing)")
            return
        }
    }

    /// The path of a library that this process has loaded.
    private static func loadedLibrary(_ name: String) -> String? {
        guard let maps = try? OpenFile(reading: "/proc/self/maps").bytes(at: 0, count: 4 << 20)
        else {
            return nil
        }
        return maps.split(separator: UInt8(ascii: "\n")).lazy
            .map { String(decoding: $0, as: UTF8.self) }
            .first { $0.hasSuffix("/" + name) }
            .flatMap { line in line.firstIndex(of: "/").map { String(line[$0...]) } }
    }

    private func segmentsEnd(of bytes: [UInt8]) throws -> Int {
        let file = try ELFFile(folder.write(bytes, to: "whole.so"))
        return file.segments.filter { $0.kind == .load }
            .map { Int($0.offset + $0.fileSize) }.max() ?? 0
    }
}
