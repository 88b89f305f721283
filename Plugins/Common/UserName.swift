// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(_Unicode) import Swift

extension User {
    /// The form of a name that it shares with all names that differ from it only in case, and in how their
    /// characters are composed.
    ///
    /// `Zoë`, `ZOË` and `zoe\u{308}` have the same form, byte for byte, and so have `Straße` and `STRASSE`.
    /// Services compare names in this form, and show them as they were written.
    public static func folded(name: String) -> String {
        composed(composed(name).uppercased().lowercased())
    }

    /// The text in normalization form C, which a comparison of bytes needs.
    private static func composed(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text._nfc { scalars.append(scalar) }
        return String(scalars)
    }
}
