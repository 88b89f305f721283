// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// One thing that a module has to keep.
package protocol Check: SendableMetatype {
    /// Stable: scripts name it.
    static var id: String { get }
    /// What holds when it passes, in one line.
    static var meaning: String { get }
    /// The ids of the checks without which it says nothing: if one of them does not pass, it is
    /// skipped.
    static var needs: [String] { get }
}

extension Check {
    package static var needs: [String] { [] }
}
