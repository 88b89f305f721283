// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import EndToEndSupport

/// Plays the tape through a pipe: all lines of a session are written at once, and its output is compared.
struct PlainPlayer: TapePlayer {
    let application: ShippedApplication

    func play(_ session: Tape.Session) throws {
        let lines = session.scenes.flatMap { scene -> [String] in
            let command =
                switch scene.does {
                case .action(let title): title
                case .quit: "Quit"
                }
            return scene.fills.isEmpty ? ["/" + command] : scene.fills.map(\.text) + [command]
        }
        let outcome = try application.eaves(
            session.arguments, input: lines.map { $0 + "\n" }.joined())
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.errors == "")
        let shown = Self.screens(in: outcome.output)
        try #require(shown.count == session.scenes.count, "\(outcome)")
        for (scene, screen) in zip(session.scenes, shown) {
            #expect(screen.title == scene.title)
            for text in scene.sees { #expect(screen.text.contains(text), "\(screen.text)") }
            for (label, _) in scene.fills {
                #expect(screen.text.contains("\n\(label)"), "\(screen.text)")
            }
        }
    }

    /// Takes an output apart: each screen begins with its trail and a line of equals signs.
    private static func screens(in output: String) -> [(title: String, text: String)] {
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        let headings = lines.indices.filter { index in
            index + 1 < lines.count && !lines[index].isEmpty
                && lines[index + 1] == String(repeating: "=", count: lines[index].count)
        }
        return headings.enumerated().map { number, start in
            let end = number + 1 < headings.count ? headings[number + 1] : lines.endIndex
            let title = String(lines[start]).components(separatedBy: " > ").last ?? ""
            return (title, lines[start..<end].joined(separator: "\n"))
        }
    }
}
