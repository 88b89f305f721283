// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc

/// The size of a terminal's window, in characters.
struct Screen: Equatable, Sendable {
    let columns: Int
    let rows: Int

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// - Returns: `nil` if the descriptor leads to no terminal, or to one that does not tell its size.
    init?(of descriptor: Int32) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return nil }
        self.init(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Whether the terminal can write over what stands on a line.
    static var canOverwrite: Bool { Environment.value(of: "TERM") ?? "dumb" != "dumb" }
}
