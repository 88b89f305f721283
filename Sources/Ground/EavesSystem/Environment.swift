// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Environment variables, of this process or for a child.
package struct Environment: Hashable, Sendable {
    /// The variables in the form of the C library: `NAME=value`.
    package private(set) var entries: [String]

    package init(_ entries: [String] = []) {
        self.entries = entries
    }

    /// The environment of this process.
    package static var current: Environment {
        var entries: [String] = []
        // SAFETY: the list ends with a null pointer. Our code never changes the environment; a
        // change from another thread would break the C library's own functions, too.
        var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
        while let entry = next?.pointee {
            entries.append(String(cString: entry))
            next = next?.advanced(by: 1)
        }
        return Environment(entries)
    }

    /// The value of one variable of this process, for which the others are not read.
    package static func value(of name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The environment that this process was started with, whatever was set since; `nil` if the system does not
    /// tell.
    package static var atStart: Environment? {
        guard let file = try? OpenFile(reading: "/proc/self/environ") else { return nil }
        var bytes: [UInt8] = []
        // The file's size is not known before it was read.
        while true {
            guard let piece = try? file.bytes(at: bytes.count, count: 64 << 10) else { return nil }
            if piece.isEmpty { break }
            bytes += piece
        }
        return Environment(
            bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) })
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
