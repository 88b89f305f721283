// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text in single quotes, as messages show texts that may come from anybody's file: shortened if
    /// it is very long. Whoever prints the message escapes its control characters.
    package var quoted: String {
        let limit = 120
        guard utf8.count > limit, unicodeScalars.count > limit else { return "'\(self)'" }
        var shown = String.UnicodeScalarView()
        shown.append(contentsOf: unicodeScalars.prefix(limit))
        return "'\(String(shown))…'"
    }
}
