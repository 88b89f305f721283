// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// Each bit of a module's header and of its table of segments, flipped: `eaves inspect` names it, or the module
/// can be loaded, or the dynamic linker says why not, or its crash is blamed on the module.
@Suite("a module with a flipped bit in its headers", .onOwnThreads, .patiently)
struct FlippedHeaderTests {
    private let folder: TemporaryFolder
    private let module: URL
    private let bytes: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        let source = try folder.write(
            """
            #include <stdlib.h>
            static __thread int calls = 3;
            static char *name;
            static char *const names[] = {"one", "two"};
            __attribute__((constructor)) static void begin(void) { name = getenv("HOME"); }
            int eaves_register(const void *host) { return calls++ + (names[1] == name) - 3; }
            """, to: "module.c")
        module = folder.url.appendingPathComponent("module.so")
        let built = try Eaves.shell(
            "${CC:-cc} -shared -fPIC -o \(module.path) \(source)", in: folder.url)
        guard built.code == 0 else { throw FixtureError("\(built)") }
        bytes = try Array(Data(contentsOf: module))
    }

    /// The bits whose flipping is not seen in the file.
    private func unseenBits() throws -> [Int] {
        let table = try ELFFile(module.path).header.segments
        let start = Int(table.offset)
        let file = folder.url.appendingPathComponent("flipped.so")
        try Data(bytes).write(to: file)
        let handle = try FileHandle(forUpdating: file)
        return try [0..<64, start..<start + Int(table.count * table.entrySize)].flatMap { $0 }
            .flatMap { offset -> [Int] in
                let bits = try (0..<8).filter { bit in
                    try handle.seek(toOffset: UInt64(offset))
                    try handle.write(contentsOf: [bytes[offset] ^ (1 << UInt8(bit))])
                    return (try? BinaryReport(of: file.path)) != nil
                }
                try handle.seek(toOffset: UInt64(offset))
                try handle.write(contentsOf: [bytes[offset]])
                return bits.map { offset * 8 + $0 }
            }
    }

    @Test("is named by inspect, or loads, or is refused with a reason, or is blamed for its crash")
    func everyBit() throws {
        let sources = Repository.file("Sources/Ground/CEavesNative").path
        let program = SwiftFixtures.folder.appendingPathComponent("FlipsBits/main.c").path
        let built = try Eaves.shell(
            "${CC:-cc} -D_GNU_SOURCE -D_Nonnull= -D_Nullable= -I \(sources)/include -o flip \(program) "
                + "\(sources)/CrashReport/*.c -ldl -pthread", in: folder.url)
        try #require(built.code == 0, "\(built)")
        let bits = try unseenBits()
        #expect(bits.count > 100)
        try folder.write(bits.map { "\($0)\n" }.joined(), to: "bits")
        try folder.write("", to: "copies/placeholder")
        let outcome = try Eaves.shell("./flip module.so \"$PWD/copies\" < bits", in: folder.url)
        #expect(outcome.code == 0, "\(outcome.errors)")
        let results = outcome.lines.map { $0.split(separator: " ").map(String.init) }
        #expect(results.count == bits.count)
        let unnamed = results.filter { $0[1] == "unnamed" }
        #expect(unnamed.isEmpty, "\(unnamed)")
        #expect(results.contains { $0[1] == "loaded" })
    }
}
