// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension [String] {
    /// The texts, one behind the other, with a separator between.
    ///
    /// As `joined(separator:)`, which is generic: the first call for a type of collection has the
    /// runtime go through every conformance of the process. For what each start of the command does.
    package func chained(by separator: String) -> String {
        var chain = ""
        for (index, text) in enumerated() {
            if index > 0 { chain += separator }
            chain += text
        }
        return chain
    }
}
