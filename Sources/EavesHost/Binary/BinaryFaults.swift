// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// All that is wrong with one module's binary.
struct BinaryFaults: Error {
    /// Never empty.
    let faults: [any Error]
}
