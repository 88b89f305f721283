// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry
@preconcurrency import Glibc

/// Counts the allocations of each case, and the growth of memory.
enum MemoryReport {
    private typealias Count = @convention(c) () -> Int

    static func text() throws -> String {
        var lines: [String] = []
        // SAFETY: Benchmarks/Probe/allocations.c defines it with this type.
        if let symbol = dlsym(nil, "eaves_allocations") {
            let count = unsafeBitCast(symbol, to: Count.self)
            for item in try Cases.all(probe: nil) {
                let allocations = try [1_000, 1_000, 2_000].map { iterations in
                    let before = count()
                    _ = try item.run(iterations)
                    return count() - before
                }
                // The differences leave out the allocations of one run, and those of the first run.
                let each = Double(allocations[2] - allocations[1]) / 1_000
                lines.append("\(item.name): \(each) allocations each")
            }
        } else {
            lines.append("allocations are counted under LD_PRELOAD, see Benchmarks/registry")
        }
        let container = try Cases.chain()
        for _ in 0..<10_000 { _ = try container.resolve((any First).self) }
        let before = residentBytes()
        for _ in 0..<1_000_000 { _ = try container.resolve((any First).self) }
        let growth = residentBytes() - before
        lines.append("1,000,000 resolves of depth 4: resident memory grows by \(growth) bytes")
        return lines.map { "- " + $0 }.joined(separator: "\n")
    }

    /// The second number of /proc/self/statm, which counts pages.
    private static func residentBytes() -> Int {
        let file = open("/proc/self/statm", O_RDONLY)
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = max(0, read(file, &text, text.count))
        let numbers = text[..<count].split(separator: UInt8(ascii: " "))
        let pages = numbers.dropFirst().first.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        return (pages ?? 0) * pageSize()
    }

    private static func pageSize() -> Int { sysconf(Int32(_SC_PAGESIZE)) }
}
