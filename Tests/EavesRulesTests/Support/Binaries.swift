// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesJSON
import EavesSystem
import Synchronization
import Testing

/// The C source of a real binary, and how it is linked.
struct Binary: Hashable, Sendable {
    static let entry = "int eaves_register(const void *host) { return host == 0; }"

    var source = Self.entry
    /// More arguments for the compiler.
    var options: [String] = []
    /// The text of the note; `nil` for a binary without a note.
    var note: String?

    /// A module that keeps all rules.
    static func module(
        _ declaration: ModuleDeclaration = .sample(), tag: BuildTag = .sample,
        source: String = Self.entry, options: [String] = []
    ) -> Binary {
        let note = ModuleNote(declaration: declaration, tag: tag).json.text(pretty: false)
        return Binary(source: source, options: options, note: note)
    }

    /// Calls a function, so that the binary has an undefined symbol. `$s14EavesInterface…` is allowed.
    static func calling(_ symbol: String, and more: String...) -> String {
        let calls = ([symbol] + more).map(writable)
        return calls.map { "extern void \($0)(void);\n" }.joined()
            + "void call(void) { \(calls.map { "\($0)();" }.joined()) }\n"
    }

    /// Defines a function of any name.
    static func defining(_ symbol: String) -> String { "void \(writable(symbol))(void) {}\n" }

    /// Assemblers do not take symbols that begin with a dollar sign. So the compiler sees a letter
    /// instead, and the bytes are patched.
    private static func writable(_ symbol: String) -> String {
        symbol.hasPrefix("$s") ? "Q" + symbol.dropFirst() : symbol
    }

    /// What was compiled in this run: most tests need the same few binaries.
    private static let known = Mutex<[Binary: [UInt8]]>([:])

    /// The bytes of the compiled binary.
    func compiled() throws -> [UInt8] {
        // The files that it is linked to may be others each time.
        if options.contains(where: { $0.contains("/") }) { return try compiledAnew() }
        if let known = Self.known.withLock({ $0[self] }) { return known }
        let binary = try compiledAnew()
        Self.known.withLock { $0[self] = binary }
        return binary
    }

    private func compiledAnew() throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let source = try folder.write(
            (note.map(Self.noteSource) ?? "") + self.source, to: "source.c")
        let output = folder.file("out.so")
        let arguments = ["cc", "-shared", "-fPIC", "-nostdlib", "-w", "-o", output, source]
        let report = try ChildPool.run(ChildCommand("/usr/bin/env", arguments + options))
        try #require(
            report.ending.isSuccess, "\(String(decoding: report.output, as: UTF8.self))")
        return Self.patched(try Files.read(output))
    }

    private static func patched(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let mark = Array("\0Qs".utf8)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        for start in bytes.indices.dropLast(mark.count)
        where bytes[start + 1] == mark[1] && bytes[start...].starts(with: mark) {
            // Behind `$s` stands a module, or a type of the standard library.
            if digits.contains(bytes[start + 3]) || bytes[start + 3] == UInt8(ascii: "S") {
                bytes[start + 1] = UInt8(ascii: "$")
            }
        }
        return bytes
    }

    private static func noteSource(_ note: String) -> String {
        let text = note.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return """
            #define NOTE "\(text)"
            __attribute__((section(".note.package"), used, aligned(4)))
            static const struct {
                unsigned owner_size, content_size, type;
                char owner[4];
                char content[2000];
            } note = { 4, 2000, 0xcafe1a7e, "FDO", NOTE };

            """
    }
}
