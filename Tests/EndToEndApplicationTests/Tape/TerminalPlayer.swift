// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// Plays the tape on a real terminal, whose screens are compared with committed texts.
struct TerminalPlayer: TapePlayer {
    let application: ShippedApplication
    private let window: TerminalWindow

    init(_ application: ShippedApplication) throws {
        self.application = application
        window = try TerminalWindow(in: application.url)
    }

    func run(_ arguments: [String]) throws -> String {
        try start(arguments)
        return try window.wait { $0.contains { $0.hasPrefix("ended with ") } }
            .joined(separator: "\n")
    }

    func play(_ session: Tape.Session) throws {
        try start(session.arguments)
        for scene in session.scenes { try play(scene) }
        let seen = try window.wait(forLine: "ended with")
        #expect(seen.first { !$0.isEmpty } == "ended with 0", "\(seen)")
        #expect(try window.property("alternate_on") == "0")
    }

    /// Runs a command in an empty window, where nothing of the one before it is seen any more.
    private func start(_ arguments: [String]) throws {
        try window.run("clear")
        try window.wait { lines in !lines.contains { $0.hasPrefix("ended with ") } }
        try window.run("clear; \(command(arguments)); echo ended with $?")
    }

    private func command(_ arguments: [String]) -> String {
        ([Eaves.executable.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
    }

    private func play(_ scene: Tape.Scene) throws {
        try window.expectScreen("tape-\(scene.name)")
        let screen = try window.screen.joined(separator: "\n")
        for text in [scene.title] + scene.sees { #expect(screen.contains(text), "\(screen)") }
        for (label, text) in scene.fills { try fill(label, text) }
        switch scene.does {
        case .quit: try window.press("C-c")
        case .action(let title):
            try press("Tab") { $0.contains { $0.contains("[▸") } }
            try press("Right") { $0.contains { $0.contains("[▸\(title)◂]") } }
            try window.press("Enter")
        }
    }

    /// Fills in a field, or changes a choice until the option is chosen.
    private func fill(_ label: String, _ text: String) throws {
        let start = "▸ \(label) "
        try press("Tab") { $0.contains { $0.hasPrefix(start) } }
        let line = try window.screen.first { $0.hasPrefix(start) } ?? ""
        if line.contains("‹") {
            return try press("Right") {
                $0.contains { $0.hasPrefix(start) && $0.contains("‹ \(text) ›") }
            }
        }
        // To the end, and away with everything.
        try window.press("C-e", "C-u")
        try window.type(text)
        let shown = label.hasPrefix("Password") ? String(repeating: "•", count: text.count) : text
        try window.wait { $0.contains { $0.hasPrefix(start) && $0.contains("[\(shown) ") } }
    }

    /// Whether a screen is drawn to its end: one thing has the focus, and each choice has both its ends.
    private static func isWhole(_ screen: [String]) -> Bool {
        screen.joined().filter { $0 == "▸" }.count == 1
            && screen.allSatisfy { !$0.contains("‹") || $0.contains("›") }
    }

    /// Presses a key again and again, each time after the screen has changed, until it is as wanted.
    private func press(_ key: String, until isWanted: ([String]) -> Bool) throws {
        var seen = try window.screen
        for _ in 0..<20 where !isWanted(seen) {
            try window.press(key)
            let former = seen
            seen = try window.wait { $0 != former && Self.isWhole($0) }
        }
        guard isWanted(seen) else {
            throw FixtureError("\(key) does not lead there:\n\(seen.joined(separator: "\n"))")
        }
    }
}
