// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A protocol of an interface module, which the benchmark has linked in. It is as small as what the cases
/// use of `Console`, a protocol of the host's interface.
public protocol Reading: Sendable {
    /// Whether there is something to read.
    var isInteractive: Bool { get }
}
