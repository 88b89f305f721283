// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A key that a person presses, by its meaning.
enum Key: Hashable, Sendable {
    /// A character, or a part of one.
    case text(String)
    case enter, escape
    case tab, backTab
    case up, down, left, right, home, end, pageUp, pageDown
    case backspace, delete, deleteWord, deleteToStart, deleteToEnd
    /// Ctrl-C.
    case quit
    /// Ctrl-\, which ends the process.
    case abort
    /// Ctrl-Z.
    case suspend
    /// Ctrl-L.
    case redraw

    /// - Parameter code: The number by which ncurses knows a key that sends more than a character.
    init?(curses code: UInt32) {
        switch code {
        case 0o402: self = .down
        case 0o403: self = .up
        case 0o404: self = .left
        case 0o405: self = .right
        case 0o406: self = .home
        case 0o407: self = .backspace
        case 0o512: self = .delete
        case 0o522: self = .pageDown
        case 0o523: self = .pageUp
        case 0o527: self = .enter
        case 0o541: self = .backTab
        case 0o550: self = .end
        default: return nil
        }
    }

    /// - Parameter character: A character that the terminal sends, possibly a control character.
    init?(character: UInt32) {
        switch character {
        case 1: self = .home
        case 3: self = .quit
        case 4: self = .delete
        case 5: self = .end
        case 8, 127: self = .backspace
        case 9: self = .tab
        case 10, 13: self = .enter
        case 11: self = .deleteToEnd
        case 12: self = .redraw
        case 14: self = .down
        case 16: self = .up
        case 21: self = .deleteToStart
        case 23: self = .deleteWord
        case 26: self = .suspend
        case 27: self = .escape
        case 28: self = .abort
        case 0..<32, 128..<160: return nil
        default:
            guard let scalar = Unicode.Scalar(character) else { return nil }
            self = .text(String(scalar))
        }
    }
}

/// Reads the rest of a sequence that begins with Escape and that ncurses does not know, such as that of
/// Alt with a key, or of Ctrl with an arrow: none of it is text, and it is not the key Escape.
struct EscapeSequence {
    private var isControl = false
    private var count = 0
    /// Whether the sequence is complete.
    private(set) var isComplete = false

    /// - Parameter character: The next character after Escape.
    mutating func take(_ character: UInt32) {
        defer { count += 1 }
        if count == 0, character == 0x5B || character == 0x4F {
            isControl = true
        } else if !isControl || (0x40...0x7E).contains(character) || count > 30 {
            isComplete = true
        }
    }
}
