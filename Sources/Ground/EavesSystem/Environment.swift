// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import Glibc

/// Environment variables, of this process or for a child. They keep bytes that are not UTF-8.
package struct Environment: Hashable, Sendable {
    /// The variables in the form of the C library: `NAME=value`.
    package private(set) var entries: [String]

    package init(_ entries: [String] = []) {
        self.entries = entries
    }

    package static var current: Environment {
        var entries: [String] = []
        // SAFETY: the list ends with a null pointer. Our code never changes the environment; a
        // change from another thread would break the C library's own functions, too.
        var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
        while let entry = next?.pointee {
            entries.append(String(keeping: entry))
            next = next?.advanced(by: 1)
        }
        return Environment(entries)
    }

    /// The value of one variable of this process, for which the others are not read.
    package static func value(of name: String) -> String? {
        getenv(name).map { String(keeping: $0) }
    }

    /// The environment that this process was started with, whatever was set since; `nil` if the system does not tell.
    package static var atStart: Environment? {
        guard let file = try? OpenFile(reading: "/proc/self/environ") else { return nil }
        var bytes: [UInt8] = []
        // The file's size is not known before it was read.
        while true {
            guard let piece = try? file.bytes(at: bytes.count, count: 64 << 10) else { return nil }
            if piece.isEmpty { break }
            bytes += piece
        }
        return Environment(bytes.split(separator: 0).map { String(keeping: Array($0)) })
    }

    /// A variable's value. Setting `nil` removes the variable.
    package subscript(name: String) -> String? {
        get {
            let prefix = name + "="
            return entries.first { $0.utf8.starts(with: prefix.utf8) }
                .map { String(Substring($0.utf8.dropFirst(prefix.utf8.count))) }
        }
        set {
            let prefix = name + "="
            entries.removeAll { $0.utf8.starts(with: prefix.utf8) }
            if let newValue { entries.append(prefix + newValue) }
        }
    }
}

extension CommandLine {
    /// The arguments of this process, which keep bytes that are not UTF-8.
    package static var keptArguments: [String] {
        // SAFETY: the list has as many texts as it says, and no code changes them.
        (0..<Int(argc)).compactMap { unsafeArgv[$0].map { String(keeping: $0) } }
    }

    /// Returns arguments with the bytes that `CommandLine.arguments` has replaced, if they follow each other among those of
    /// the process.
    package static func keeping(
        _ arguments: [String], of own: @autoclosure () -> [String] = keptArguments
    ) -> [String] {
        let isWhole = !arguments.contains { $0.unicodeScalars.contains("\u{FFFD}") }
        if isWhole { return arguments }
        let own = own()
        let replaced = own.map { String(decoding: $0.keptBytes, as: UTF8.self) }
        let start = replaced.indices.last { replaced[$0...].starts(with: arguments) }
        return start.map { Array(own[$0...].prefix(arguments.count)) } ?? arguments
    }
}

extension [String] {
    /// Calls `body` with C strings of the texts, which have all bytes that these keep, and a null pointer behind them. They
    /// are valid during the call.
    package func withCList<Result>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var list = map { text in
            strdup(text.keptBytes.map { CChar(truncatingIfNeeded: $0) } + [0])
        }
        list.append(nil)
        defer { for text in list { free(text) } }
        // SAFETY: the list has a first element, because it ends with nil.
        return list.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
    }
}

extension String {
    /// Creates a text of a C string, which keeps bytes that are not UTF-8.
    package init(keeping text: UnsafePointer<CChar>) {
        // SAFETY: the caller's text ends with a zero.
        self.init(keeping: Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
    }
}
