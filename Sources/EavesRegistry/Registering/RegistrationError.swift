// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Registrations that cannot stand beside others.
package struct RegistrationError: Error, Sendable {
    /// Two registrations of one service, name and argument types.
    package struct Duplicate: Sendable {
        package let first: Registration
        package let second: Registration
    }

    package let duplicates: [Duplicate]
}

extension RegistrationError: CustomStringConvertible {
    /// A line for each pair, with module and place of both.
    package var description: String {
        duplicates.map { "\($0.second) is registered already: \($0.first)" }
            .joined(separator: "\n")
    }
}
