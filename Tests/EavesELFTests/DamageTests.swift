// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

/// Damage of every kind to a real binary: the reader refuses it or reads it, and never crashes.
@Suite("Damaged binaries")
struct DamageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("a binary cut at any length is refused", arguments: CCompiler.all)
    func truncation(compiler: CCompiler) throws {
        let bytes = try compiler.compile(Binaries.source(note: "{}"))
        let path = try folder.write(bytes, to: "module.so")
        #expect(try BinaryReport(of: path).defines(function: "eaves_register"))
        for length in Soak.sample((0..<bytes.count).reversed(), every: 20) {
            #expect(truncate(path, length) == 0)
            #expect((try? BinaryReport(of: path)) == nil, "\(length) bytes of \(bytes.count)")
        }
    }

    @Test("any byte of headers, notes and tables may be anything", arguments: CCompiler.all)
    func flips(compiler: CCompiler) throws {
        let bytes = try compiler.compile(Binaries.source(note: "{}"))
        let path = try folder.write(bytes, to: "module.so")
        let file = try BytePatcher(path)
        var (readable, refused) = (0, 0)
        for offset in Soak.sample(try Binaries.offsetsToDamage(in: path), every: 20) {
            for value in [0x00, 0xff, 0x7f, bytes[offset] ^ 1, bytes[offset] &+ 8] {
                file.write(value, at: offset)
                read(path) ? (readable += 1) : (refused += 1)
            }
            file.write(bytes[offset], at: offset)
        }
        #expect(try Files.read(path) == bytes)
        #expect(readable > 0 && refused > 0)
    }

    @Test("random damage in many places")
    func scatter() throws {
        let bytes = try Binaries.module(note: "{}")
        let path = try folder.write(bytes, to: "module.so")
        let file = try BytePatcher(path)
        let offsets = try Binaries.offsetsToDamage(in: path)
        var random = SeededNumbers()
        for _ in 0..<Soak.rounds(4000) {
            let places = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                offsets[Int.random(in: 0..<offsets.count, using: &random)]
            }
            for place in places { file.write(UInt8.random(in: 0...255, using: &random), at: place) }
            _ = read(path)
            for place in places { file.write(bytes[place], at: place) }
        }
    }

    /// - Returns: Whether both readers accept the file.
    private func read(_ path: String) -> Bool {
        let notes = try? ELFFile(path).notes()
        return (try? BinaryReport(of: path)) != nil && notes != nil
    }
}
