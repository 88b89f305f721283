// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Who signed a module, as OpenSSH tells it.
package struct Signer: Hashable, Sendable {
    /// By the list of signers, such as `alice@example.com`.
    package let name: String
    /// The kind of the key and its fingerprint, such as `ED25519 key SHA256:…`.
    package let key: String
}
