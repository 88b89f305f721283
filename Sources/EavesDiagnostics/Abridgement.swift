// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension Collection<String> {
    /// Joins the first few texts, and says how many more there are, so that a message stays short however
    /// many modules it is about: `a, b, c, d, e and 9995 more`.
    ///
    /// - Parameter limit: The number of texts to show.
    package func abridged(by separator: String, limit: Int = 5) -> String {
        let shown = prefix(limit).joined(separator: separator)
        return count <= limit ? shown : "\(shown) and \(count - limit) more"
    }

    /// Joins the first few texts as alternatives: `a or b or c or one of 9997 others`.
    ///
    /// - Parameter limit: The number of texts to show.
    package func abridgedChoice(limit: Int = 3) -> String {
        let shown = prefix(limit).joined(separator: " or ")
        return count <= limit ? shown : "\(shown) or one of \(count - limit) others"
    }
}
