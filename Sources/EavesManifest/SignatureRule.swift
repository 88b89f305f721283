// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Whether modules have to be signed.
package enum SignatureRule: String, CaseIterable, Sendable {
    /// Each of them, by somebody whom the list of signers names.
    case required
}
