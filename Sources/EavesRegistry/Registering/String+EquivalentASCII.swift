// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text in ASCII that is equal to this one, if there is one.
    ///
    /// Of all signs beyond ASCII, Unicode has just three that are canonically equivalent to one of
    /// it; and that for good, since normal forms are stable.
    var equivalentASCII: String? {
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "\u{37E}": text.append(";")  // Greek question mark
            case "\u{1FEF}": text.append("`")  // Greek varia
            case "\u{212A}": text.append("K")  // Kelvin sign
            case _ where scalar.isASCII: text.append(scalar)
            default: return nil
            }
        }
        return String(text)
    }
}
