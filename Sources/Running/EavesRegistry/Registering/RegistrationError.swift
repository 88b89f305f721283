// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Registrations that a container did not take over.
package struct RegistrationError: Error, Sendable {
    /// Every problem; never empty.
    package let problems: [RegistrationProblem]
}

/// A registration whose service, name and argument types are taken.
package struct RegistrationProblem: Sendable {
    package let registration: Registration
    /// The earlier registration of the same.
    package let earlier: Registration
}

extension RegistrationError: CustomStringConvertible {
    /// A line for each problem, with module and place of both registrations.
    package var description: String {
        problems.map { "\($0.registration) is registered already: \($0.earlier)" }
            .joined(separator: "\n")
    }
}
