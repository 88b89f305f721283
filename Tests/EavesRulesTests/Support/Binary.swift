// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesJSON
import EavesTestSupport

/// The C source of a real binary, and how it is linked.
struct Binary: Sendable {
    static let entry = "int eaves_register(const void *host) { return host == 0; }"

    var source = Self.entry
    /// More arguments for the compiler.
    var options: [String] = []
    /// The text of the note; `nil` for a binary without a note.
    var note: String?

    /// A module that keeps all rules.
    static func module(
        _ declaration: ModuleDeclaration = .subject(), tag: BuildTag = .sample,
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

    /// A variable of each thread, and a function that uses it. Of size 0, it is another file's.
    static func threadVariable(
        _ name: String, of size: Int, model: String = "initial-exec"
    ) -> String {
        let type = "__thread __attribute__((tls_model(\"\(model)\"))) volatile char \(name)"
        return (size == 0 ? "extern \(type)[];\n" : "\(type)[\(size)];\n")
            + "char use_\(name)(void) { return \(name)[0]; }\n"
    }

    /// The record that a type conforms to a protocol of Swift, and implements none of its requirements.
    ///
    /// - Parameters:
    ///   - type: The symbol of the type, if another file has it.
    ///   - flags: The flags of the record. Requirements are read with the usual ones alone.
    static func conforming(
        to symbol: String, of type: String? = nil, flags: Int = 0x10000
    ) -> String {
        let lines = [
            #".section swift5_protocol_conformances,"a""#, ".balign 4", ".long record - .",
            #".section .data.rel.ro,"aw""#, ".balign 8", "place: .quad \(writable(symbol))",
            "type: .quad \(type.map(writable) ?? "0")",
            // The protocol, by the place of its address; the type; the functions; flags; their number.
            "record: .long place + 1 - .", type == nil ? ".long 0" : ".long type - .", ".long 0",
            ".long \(flags)", ".long 0", ".text",
        ]
        let text = lines.map { $0.replacing("\"", with: "\\\"") }.joined(separator: "\\n")
        return "__asm__(\"\(text)\\n\");\n"
    }

    /// Defines a function of any name.
    static func defining(_ symbol: String) -> String { "void \(writable(symbol))(void) {}\n" }

    /// Assemblers do not take symbols that begin with a dollar sign. So the compiler sees a letter
    /// instead, and the bytes are patched.
    private static func writable(_ symbol: String) -> String {
        symbol.hasPrefix("$s") ? "Q" + symbol.dropFirst() : symbol
    }

    /// The bytes of the compiled binary.
    func compiled() throws -> [UInt8] {
        let whole = note.map { Binaries.source(note: $0, entry: source) } ?? source
        return Self.patched(try CCompiler.first().compile(whole, ["-shared", "-w"] + options))
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
}
