// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What the command's exit code says went wrong: the numbers of `sysexits.h` and a few words of ours.
///
/// A contract: scripts rely on the numbers.
package enum FailureCode: Int32, Sendable {
    /// The command line is wrong.
    case usage = 64
    /// A module's or the manifest's data is wrong.
    case badData = 65
    /// A file, feature, module or service does not exist.
    case notFound = 66
    /// A needed service has no provider.
    case noProvider = 69
    /// A feature failed in a way it did not answer for itself.
    case crashed = 70
    /// An output cannot be created.
    case cannotCreate = 73
    /// Reading or writing failed.
    case inputOutput = 74
    /// The C ABI, the interface or the compiler does not fit.
    case incompatible = 76
    /// A digest, a signature or a permission does not hold.
    case untrusted = 77
    /// The configuration contradicts itself: a cycle, an ambiguous binding.
    case configuration = 78
}
