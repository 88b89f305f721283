// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A version of the interface: a module needs the same major version and at most the host's minor.
package struct InterfaceVersion: Hashable, Sendable {
    package var major: Int
    package var minor: Int

    package init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Reads `1.0`: two numbers in decimal digits and nothing else.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let major = Self.number(parts[0]), let minor = Self.number(parts[1])
        else { return nil }
        self.init(major: major, minor: minor)
    }

    private static func number(_ text: Substring) -> Int? {
        // The initialiser of Int takes a sign, too.
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            ? Int(text) : nil
    }
}

extension InterfaceVersion: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}

extension InterfaceVersion: CustomStringConvertible {
    package var description: String { "\(major).\(minor)" }
}
