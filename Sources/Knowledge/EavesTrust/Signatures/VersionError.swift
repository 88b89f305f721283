// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics

/// The reason why a module's version is not accepted.
package enum VersionError: Error, Hashable, Sendable {
    /// The manifest asks for a newer one.
    case tooOld(found: ModuleVersion, least: ModuleVersion)
    /// The module has to be signed, and a newer version of it was loaded before.
    case replaced(module: String, found: ModuleVersion, newest: ModuleVersion)
    /// The bytes that were checked do not tell the version of this module.
    case unknown(module: String)
    /// The versions that were accepted before cannot be read.
    case accepted(AcceptedVersionsError)
}

extension VersionError: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .tooOld(let found, let least):
            Diagnostic(
                "expected version \(least) or newer, as the manifest asks, found \(found)",
                fix: "put the newer version back, or correct 'leastVersion' in the manifest if "
                    + "the older one is meant",
                code: .untrusted)
        case .replaced(let module, let found, let newest):
            Diagnostic(
                "expected version \(newest) or newer, which was loaded before, found \(found)",
                fix: "put the newer version back; to go back on purpose, pin the older one: "
                    + "'eaves pin \(module.shellWord)'",
                code: .untrusted)
        case .unknown(let module):
            Diagnostic(
                "expected the version of '\(module)' in its note, found none",
                fix: "put the module back that was there, or build it again", code: .untrusted)
        case .accepted(let error): error.diagnostic
        }
    }
}
