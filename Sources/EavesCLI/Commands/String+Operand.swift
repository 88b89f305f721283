// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Whether an operand FILE-OR-ID is a file: it has a slash, or ends in `.so`.
    var namesFile: Bool { contains("/") || hasSuffix(".so") }
}
