// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What can be done with a module. The names are a contract: `eaves list --json` prints them.
package enum ModuleState: String, CaseIterable, Sendable {
    /// Nothing that can be known without running it speaks against it.
    case ready
    /// The manifest switches it off.
    case disabled
    /// There is no file.
    case missing
    /// The file is no module, or says of itself what cannot be true.
    case invalid
    /// It is built for another host.
    case incompatible
    /// A digest, signature or permission does not hold.
    case untrusted
    /// It crashed too often.
    case quarantined
}
