// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesJSON
import EavesSystem
import Testing

/// Real binaries, each compiled once per run.
enum Binaries {
    /// A module as an author in C writes it, with room for any note.
    static let module = Result { try compiler.compile(source(note: placeholder)) }
    static let withoutNote = Result { try compiler.compile(entry) }
    static let executable = Result {
        try compiler.compile("void _start(void) {}", ["-pie"])
    }
    static let fixedExecutable = Result {
        try compiler.compile("void _start(void) {}", ["-no-pie", "-static"])
    }
    static let object = Result { try compiler.compile(entry, ["-c"]) }

    static let entry = "int eaves_register(const void *host) { return host == 0; }\n"

    private static var compiler: CCompiler {
        get throws { try #require(CCompiler.all.first) }
    }

    /// The bytes that a note of ``module`` has.
    static let room = 4000
    private static let placeholder = "@@NOTE@@"

    /// A module whose note holds this text.
    static func module(note: String) throws -> [UInt8] {
        try module(note: Array(note.utf8))
    }

    static func module(note: [UInt8]) throws -> [UInt8] {
        var bytes = try module.get()
        let mark = Array(placeholder.utf8)
        let start = try #require(
            bytes.indices.first { bytes[$0] == mark[0] && bytes[$0...].starts(with: mark) })
        try #require(note.count < room)
        bytes.replaceSubrange(
            start..<start + room, with: note + Array(repeating: 0, count: room - note.count))
        return bytes
    }

    static func module(_ note: ModuleNote) throws -> [UInt8] {
        try module(note: note.json.text(pretty: false))
    }

    /// As `Documentation/WritingAModule.md` shows it.
    static func source(note: String, owner: String = "FDO", type: String = "0xcafe1a7e") -> String {
        let text = note.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return """
            #define NOTE "\(text)"
            __attribute__((section(".note.package"), used, aligned(4)))
            static const struct {
                unsigned owner_size, content_size, type;
                char owner[4];
                char content[\(room)];
            } note = { 4, \(room), \(type), "\(owner)", NOTE };
            \(entry)
            """
    }
}
