// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Where a writer puts space.
struct JSONLayout {
    /// What ends a line and begins the next, up to the indentation; `nil` to stay on one line.
    var lineBreak: [UInt8]?
    /// One step of indentation.
    var unit: [UInt8] = []
    /// The indentation of the line that a value begins on.
    var indentation: [UInt8] = []
    /// What stands between a name and its value.
    var colon: [UInt8] = [.colon]
    /// What stands on one line behind a comma.
    var gap: [UInt8] = []
    /// What stands on one line inside the braces of an object.
    var padding: [UInt8] = []

    static let compact = JSONLayout()
    static let pretty = JSONLayout(
        lineBreak: [.lineFeed], unit: [.space, .space], colon: [.colon, .space])
}
