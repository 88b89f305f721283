// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// Why a module's signature does not count.
package enum SignatureError: Error, Hashable, Sendable {
    /// There is none; where it should be.
    case missing(String)
    /// It is no signature of these bytes, or of another kind; in OpenSSH's words.
    case bad(String, words: String)
    /// It is one, and the list of signers does not name its key, or not for this; what OpenSSH says
    /// of the list.
    case unknownSigner(key: String, signers: String, words: String)
    /// The list of signers cannot be read, or is not there.
    case noSigners(SystemError)
    /// Others can write the list of signers.
    case untrustedSigners(TrustError)
    /// There is no manifest that says whose signatures count.
    case noManifest
    /// `ssh-keygen` cannot be run.
    case noTool(SystemError)
}
