// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CTerminal
import Synchronization
import Utility

/// The terminal under ncurses: the one place that draws on it and reads from it.
///
/// Belongs to one thread, because ncurses keeps its state in global variables.
struct Curses: ~Copyable {
    private let screen: OpaquePointer
    private let window: OpaquePointer
    /// The number of colours; 0 if there are none.
    let colors: Int
    private var pairs: [Color: Int16] = [:]
    private static let problemPair: Int16 = 1

    private static let isInUse = Atomic(false)

    /// Shows an empty screen.
    ///
    /// - Parameters:
    ///   - type: The terminal's type, for the error.
    ///   - wake: The descriptor that signal handlers write to.
    init(type: String, wake: Int32) throws(TerminalError) {
        guard !Self.isInUse.exchange(true, ordering: .acquiring) else { throw .inUse }
        guard terminal_use_utf8() else {
            Self.isInUse.store(false, ordering: .releasing)
            throw .noUTF8
        }
        terminal_guard(wake)
        guard let screen = terminal_start() else {
            terminal_unguard()
            Self.isInUse.store(false, ordering: .releasing)
            throw .unknownType(type)
        }
        terminal_guard_screen()
        raw()
        noecho()
        nonl()
        set_escdelay(50)
        guard let window = newwin(0, 0, 0, 0) else {
            endwin()
            delscreen(screen)
            terminal_unguard()
            Self.isInUse.store(false, ordering: .releasing)
            throw .system("there is no memory for the screen", 12)
        }
        keypad(window, true)
        nodelay(window, true)
        var colors = 0
        if has_colors(), start_color() == 0 {
            use_default_colors()
            colors = Int(terminal_colors())
            init_pair(Self.problemPair, 1, -1)
        }
        self.screen = screen
        self.window = window
        self.colors = colors
    }

    deinit {
        delwin(window)
        if !terminal_is_given_up() { endwin() }
        terminal_unguard()
        delscreen(screen)
        Self.isInUse.store(false, ordering: .releasing)
    }

    /// Finds out how large the terminal is now, and takes that size on.
    func size(or former: Size) -> Size {
        var rows = Int32(former.rows)
        var columns = Int32(former.columns)
        _ = terminal_size(&rows, &columns)
        resize_term(rows, columns)
        wresize(window, rows, columns)
        return Size(rows: Int(rows), columns: Int(columns))
    }

    /// Draws the differences to what was drawn before.
    ///
    /// - Parameter anew: Whether the terminal's content is unknown, so that all of it is drawn.
    mutating func draw(_ drawing: Drawing, anew: Bool = false) {
        guard !terminal_is_given_up() else { return }
        curs_set(0)
        werase(window)
        for (row, line) in drawing.lines.enumerated() {
            wmove(window, Int32(row), 0)
            for span in line.spans {
                let (attributes, pair) = look(of: span.style)
                wattr_set(window, attributes, pair, nil)
                let text = span.glyphs.text.unicodeScalars.map { wchar(bitPattern: $0.value) }
                waddnwstr(window, text, Int32(text.count))
            }
        }
        wattr_set(window, 0, 0, nil)
        wmove(window, Int32(drawing.cursor.row), Int32(drawing.cursor.column))
        clearok(window, anew)
        wrefresh(window)
        if drawing.showsCursor { curs_set(1) }
        // Setting the cursor's visibility is only written out with the next refresh.
        wrefresh(window)
    }

    /// Leaves the whole screen, and returns when the job goes on.
    func stop() {
        endwin()
        terminal_stop()
    }

    /// Takes a key that has come in.
    ///
    /// - Returns: `nil` if there is none. A sequence that means nothing is skipped.
    func key() -> Key? {
        while true {
            var code: UInt32 = 0
            switch wget_wch(window, &code) {
            case 0o400:
                if let key = Key(curses: code) { return key }
            case 0:
                guard code == 27 else {
                    if let key = Key(character: code) { return key }
                    continue
                }
                var sequence = EscapeSequence()
                var isAlone = true
                while !sequence.isComplete, wget_wch(window, &code) != -1 {
                    isAlone = false
                    sequence.take(code)
                }
                if isAlone { return .escape }
            default: return nil
            }
        }
    }

    private mutating func look(of style: Style) -> (attributes: UInt32, pair: Int16) {
        let (underline, reverse, dim, bold): (UInt32, UInt32, UInt32, UInt32) =
            (1 << 17, 1 << 18, 1 << 20, 1 << 21)
        return switch style {
        case .plain: (0, 0)
        case .bar: (reverse, 0)
        case .title: (reverse | bold, 0)
        case .faint: (dim, 0)
        case .strong: (bold, 0)
        case .problem: (bold, colors > 0 ? Self.problemPair : 0)
        case .focused: (reverse, 0)
        case .input: (underline, 0)
        case .swatch(let color): (0, pair(for: color))
        }
    }

    /// The pair that draws in a colour. Without one left, the usual colour is used.
    private mutating func pair(for color: Color) -> Int16 {
        guard colors >= 8 else { return 0 }
        if let pair = pairs[color] { return pair }
        let number = Self.problemPair + 1 + Int16(pairs.count)
        guard number < min(terminal_color_pairs(), 256),
            init_pair(number, Int16(color.nearest(of: colors)), -1) == 0
        else { return 0 }
        pairs[color] = number
        return number
    }
}

/// A character of the C library.
private typealias wchar = Int32
