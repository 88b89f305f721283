// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text in single quotes as messages show it: on one line, without control characters, and
    /// shortened when it is very long, because it may come from anybody's file.
    package var quoted: String {
        let limit = 120
        let shown = unicodeScalars.prefix(limit).map { scalar -> String in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }
        return "'" + shown.joined() + (unicodeScalars.count > limit ? "…'" : "'")
    }
}
