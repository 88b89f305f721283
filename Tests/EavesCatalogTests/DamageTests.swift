// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesCatalog
import EavesJSON
import EavesSystem
import EavesTestSupport
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
        for length in Soak.sample((0..<bytes.count).reversed(), every: 20) {
            #expect(truncate(path, length) == 0)
            let entry = Catalog.inspect(file: path, profile: .sample)
            #expect(entry.state == .invalid, "\(length) bytes of \(bytes.count)")
            #expect(entry.diagnostics.count == 1)
        }
    }

    @Test("any byte of headers, notes and tables may be anything", arguments: CCompiler.all)
    func flips(compiler: CCompiler) throws {
        let bytes = try compiler.compile(Binaries.source(note: note().json.text(pretty: false)))
        let path = try folder.write(bytes, to: "module.so")
        let file = try BytePatcher(path)
        var states: [ModuleState: Int] = [:]
        for offset in Soak.sample(try Binaries.offsetsToDamage(in: path), every: 20) {
            for value in [0x00, 0xff, 0x7f, bytes[offset] ^ 1, bytes[offset] &+ 8] {
                file.write(value, at: offset)
                states[Catalog.inspect(file: path, profile: .sample).state, default: 0] += 1
            }
            file.write(bytes[offset], at: offset)
        }
        #expect(try Files.read(path) == bytes)
        #expect(states[.invalid, default: 0] > 0)
        #expect(states[.ready, default: 0] > 0)
    }

    @Test("random damage in many places")
    func scatter() throws {
        let bytes = try Binaries.module(note())
        let path = try folder.write(bytes, to: "module.so")
        let file = try BytePatcher(path)
        let offsets = try Binaries.offsetsToDamage(in: path)
        var random = SeededNumbers()
        for _ in 0..<Soak.rounds(4000) {
            let places = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                offsets[Int.random(in: 0..<offsets.count, using: &random)]
            }
            for place in places { file.write(UInt8.random(in: 0...255, using: &random), at: place) }
            _ = Catalog.inspect(file: path, profile: .sample).diagnostics
            for place in places { file.write(bytes[place], at: place) }
        }
    }
}
