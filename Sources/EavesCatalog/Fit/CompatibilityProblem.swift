// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesELF

/// What a module is built for, where this host is something else.
package enum CompatibilityProblem: Error, Hashable, Sendable {
    case machine(built: ELFMachine, host: ELFMachine)
    case abi(built: Int, host: Int)
    case interface(built: InterfaceVersion, host: InterfaceVersion)
    /// Compared by major and minor version: what the compilers of one series emit fits together.
    /// - Parameter others: The series that the manifest allows beside the host's.
    case compiler(built: String, host: String, others: [String])
}
