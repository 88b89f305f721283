// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesCatalog
import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// The files that `eaves build` makes, damaged in every place that says where something is.
@Suite("a damaged Swift module", .onOwnThreads)
struct DamagedModuleTests {
    private let folder: TemporaryFolder
    private let file: URL
    private let bytes: [UInt8]
    private let profile = HostProfile(
        abi: 1, interface: InterfaceVersion(major: 1, minor: 99), compiler: "6.3")

    init() throws {
        folder = try TemporaryFolder()
        file = folder.url.appendingPathComponent("users.so")
        let modules = try Repository.optimisedModules
        bytes = try Array(Data(contentsOf: modules.appendingPathComponent("users.so")))
        try Data(bytes).write(to: file)
    }

    @Test("is told to be cut at every length")
    func truncated() throws {
        for length in Soak.sample((0..<bytes.count).reversed(), every: 20) {
            guard truncate(file.path, length) == 0 else { throw FixtureError("truncate") }
            let problem = ModuleContent(file.path).problem(in: profile)
            guard case .binary? = problem else {
                Issue.record("\(length) bytes of \(bytes.count): \(String(describing: problem))")
                continue
            }
            #expect((try? BinaryReport(of: file.path)) == nil)
        }
    }

    @Test("with any bit of its headers flipped is refused with words, or read")
    func flipped() throws {
        let ranges = try headers()
        let handle = try FileHandle(forUpdating: file)
        var (read, refused) = (0, 0)
        let offsets = ranges.flatMap { Array($0) }
        // The step has no divisor in common with the number of bits: each byte gets others.
        for place in Soak.sample(0..<offsets.count * 8, every: 21) {
            let (offset, bit) = (offsets[place / 8], place % 8)
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: [bytes[offset] ^ (1 << UInt8(bit))])
            let entry = Catalog.inspect(file: file.path, profile: profile)
            if entry.state == .ready {
                read += 1
                #expect(entry.declaration != nil)
            } else {
                refused += 1
                #expect(!entry.diagnostics.isEmpty)
            }
            if let report = try? BinaryReport(of: file.path) {
                #expect(report.symbols.count < 1 << 16 && report.needed.count < 64)
            }
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: [bytes[offset]])
        }
        #expect(read > 0 && refused > 0)
        #expect(try Array(Data(contentsOf: file)) == bytes)
    }

    /// The header of the file, the table of segments, the notes and the dynamic section.
    private func headers() throws -> [Range<Int>] {
        let elf = try ELFFile(file.path)
        let table = elf.header.segments
        let start = Int(table.offset)
        return [0..<64, start..<start + Int(table.count * table.entrySize)]
            + elf.segments.filter { $0.kind == .note || $0.kind == .dynamic }.map {
                Int($0.offset)..<Int($0.offset + $0.fileSize)
            }
    }
}
