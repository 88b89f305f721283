// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface

/// A screen as lines of text. Each line says by itself what it is.
enum PlainText {
    static func lines(of screen: Screen, in frame: ScreenFrame) -> [String] {
        let heading = (frame.trail + [screen.title]).map(line).joined(separator: " > ")
        var lines = ["", heading, String(repeating: "=", count: heading.count)]
        if let notice = frame.notice { lines.append("Problem: \(line(notice))") }
        var number = 0
        for element in screen.elements {
            switch element {
            case .text(let text): lines += text.split(separator: "\n").map { line($0) }
            case .problem(let text): lines.append("Problem: \(line(text))")
            case .list(let list):
                if list.rows.isEmpty { lines.append(line(list.placeholder)) }
                for row in list.rows {
                    number += 1
                    let detail = row.detail.isEmpty ? "" : " (\(line(row.detail)))"
                    lines.append("\(number). \(line(row.title))\(detail)")
                }
            case .field, .choice: break  // They are asked for below.
            @unknown default: lines.append("(This version cannot show a part of the screen.)")
            }
        }
        return lines
    }

    /// A text on one line, without control characters, which a terminal would obey.
    static func line(_ text: some StringProtocol) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    $0.properties.generalCategory == .control ? " " : $0
                }))
    }
}
