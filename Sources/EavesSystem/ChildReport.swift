// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What is known of a child process that ended.
package struct ChildReport: Sendable {
    package var ending: ChildEnding
    /// What it wrote to its standard output and error, in the order it wrote it.
    package var output: [UInt8]
    /// It wrote more than was kept.
    package var isOutputCut: Bool
    /// From start to end.
    package var duration: Duration
}
