// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesTestSupport
import Testing

@Suite("The functions of a binary")
struct ELFFunctionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let source = """
        __attribute__((noinline)) static int hidden_helper(int n) { return n * 3 + 1; }
        int shown_function(int n) { return hidden_helper(n) + 1; }
        \(Binaries.entry)
        """

    /// The names of the functions that some place of the file belongs to, with how far they reach.
    private func functions(of path: String, size: Int) throws(ELFError) -> [String: UInt64] {
        let elf = try ELFFile(path)
        var reach: [String: UInt64] = [:]
        for offset in 0..<UInt64(size) {
            guard let found = try elf.function(atOffset: offset) else { continue }
            // From one place to the next, a function goes on or begins.
            #expect(found.offset == (reach[found.name].map { $0 + 1 } ?? 0))
            reach[found.name] = found.offset
        }
        return reach
    }

    @Test("are found by the places of their code, private ones as well", arguments: CCompiler.all)
    func places(compiler: CCompiler) throws {
        let bytes = try compiler.compile(Self.source)
        let path = try folder.write(bytes, to: "module.so")
        let found = try functions(of: path, size: bytes.count)
        #expect(
            Set(found.keys).isSuperset(of: ["hidden_helper", "shown_function", "eaves_register"]))
        #expect(try #require(found["shown_function"]) > 4)
        #expect(try ELFFile(path).function(atOffset: 0) == nil)
        #expect(try ELFFile(path).function(atOffset: .max) == nil)
    }

    @Test("are the exported ones, if the file was stripped", arguments: CCompiler.all)
    func stripped(compiler: CCompiler) throws {
        let bytes = try compiler.compile(Self.source, ["-shared", "-s"])
        let path = try folder.write(bytes, to: "module.so")
        let found = try functions(of: path, size: bytes.count)
        #expect(Set(found.keys).isSuperset(of: ["shown_function", "eaves_register"]))
        #expect(found["hidden_helper"] == nil)
    }

    @Test("of a damaged file are found or not, without a crash")
    func damaged() throws {
        let bytes = try CCompiler.first().compile(Self.source)
        let path = try folder.write(bytes, to: "module.so")
        let file = try BytePatcher(path)
        // The header, and the tables of sections and symbols at the end of the file.
        let end = stride(from: bytes.count * 2 / 3, to: bytes.count, by: 3)
        for offset in Soak.sample(Array(0..<64) + Array(end), every: 5) {
            for value in [0x00, 0xff, bytes[offset] ^ 1] {
                file.write(value, at: offset)
                guard let elf = try? ELFFile(path) else { continue }
                for place in stride(from: UInt64(0), to: UInt64(bytes.count), by: 997) {
                    _ = try? elf.function(atOffset: place)
                }
            }
            file.write(bytes[offset], at: offset)
        }
        #expect(try functions(of: path, size: bytes.count)["shown_function"] != nil)
    }
}
