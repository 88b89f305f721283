// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Environment variables, for reading and for handing to a child.
package struct Environment: Hashable, Sendable {
    /// As the C library keeps them: `NAME=value`.
    package private(set) var entries: [String]

    package init(_ entries: [String] = []) {
        self.entries = entries
    }

    /// What this process was started with and has set since.
    package static var current: Environment {
        var entries: [String] = []
        // SAFETY: the list ends with a null pointer. Nothing of ours changes the environment; who
        // changes it from another thread breaks every C library's reader too.
        var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
        while let entry = next?.pointee {
            entries.append(String(cString: entry))
            next = next?.advanced(by: 1)
        }
        return Environment(entries)
    }

    /// A variable's value; setting `nil` removes it.
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
