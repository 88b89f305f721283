// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesCatalog
import EavesJSON
import EavesSystem
import Glibc
import Testing

/// Damage of every kind to a real module: it is refused or read, and never more than that.
@Suite("Damaged modules")
struct DamageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func note() -> ModuleNote {
        ModuleNote(
            declaration: .sample(provides: ["UserService"], features: ["users"]), tag: .sample)
    }

    @Test("a module cut at any length is invalid", arguments: CCompiler.all)
    func truncation(compiler: CCompiler) throws {
        let bytes = try compiler.compile(Binaries.source(note: note().json.text(pretty: false)))
        let path = try folder.write(bytes, to: "module.so")
        #expect(Catalog.inspect(file: path, profile: .sample).state == .ready)
        for length in (0..<bytes.count).reversed() {
            #expect(truncate(path, length) == 0)
            let entry = Catalog.inspect(file: path, profile: .sample)
            #expect(entry.state == .invalid, "\(length) bytes of \(bytes.count)")
            #expect(entry.diagnostics.count == 1)
            #expect((try? BinaryReport(of: path)) == nil)
        }
    }

    @Test("any byte of headers, notes and tables may be anything", arguments: CCompiler.all)
    func flips(compiler: CCompiler) throws {
        let bytes = try compiler.compile(Binaries.source(note: note().json.text(pretty: false)))
        let path = try folder.write(bytes, to: "module.so")
        let file = try OpenFileForPatches(path)
        var states: [ModuleState: Int] = [:]
        for offset in try interestingOffsets(of: path, size: bytes.count) {
            for value in [0x00, 0xff, 0x7f, bytes[offset] ^ 1, bytes[offset] &+ 8] {
                file.write(value, at: offset)
                states[Catalog.inspect(file: path, profile: .sample).state, default: 0] += 1
                _ = try? BinaryReport(of: path)
            }
            file.write(bytes[offset], at: offset)
        }
        #expect(try Files.read(path) == bytes)
        #expect(states[.invalid, default: 0] > 100)
        #expect(states[.ready, default: 0] > 100)
    }

    @Test("random damage in many places")
    func scatter() throws {
        let bytes = try Binaries.module(note())
        let path = try folder.write(bytes, to: "module.so")
        let file = try OpenFileForPatches(path)
        let offsets = try interestingOffsets(of: path, size: bytes.count)
        // The same numbers in each run, so that what fails once fails again.
        var random = Xorshift(state: 0x9e37_79b9_7f4a_7c15)
        for _ in 0..<4000 {
            let places = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                offsets[Int.random(in: 0..<offsets.count, using: &random)]
            }
            for place in places { file.write(UInt8.random(in: 0...255, using: &random), at: place) }
            _ = Catalog.inspect(file: path, profile: .sample).diagnostics
            _ = try? BinaryReport(of: path)
            for place in places { file.write(bytes[place], at: place) }
        }
    }

    /// Headers, notes, dynamic section, symbols, names and hash tables: all that is read.
    private func interestingOffsets(of path: String, size: Int) throws -> [Int] {
        let file = try ELFFile(path)
        let read = file.segments.filter { $0.kind == .dynamic || $0.kind == .note }
            .map { Int($0.offset)..<Int($0.offset + min($0.fileSize, 600)) }
        let sections = Int(file.header.sections.offset)..<size
        return ([0..<2048, sections] + read).flatMap { Array($0) }.filter { $0 < size }
    }
}

/// Overwrites single bytes of a file in place.
final class OpenFileForPatches {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(.open, path) }
    }

    deinit { close(descriptor) }

    func write(_ byte: UInt8, at offset: Int) {
        withUnsafeBytes(of: byte) { _ = pwrite(descriptor, $0.baseAddress, 1, off_t(offset)) }
    }
}

private struct Xorshift: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
