// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// Plays the tape in a headless Chromium.
struct BrowserPlayer: TapePlayer {
    let application: ShippedApplication
    private let browser: Browser

    init(_ application: ShippedApplication) throws {
        self.application = application
        browser = try Browser(width: 1280, height: 800)
        #expect(try run(["swap", "ScreenRenderer", "renderer-web"]).contains("→ renderer-web"))
    }

    func play(_ session: Tape.Session) throws {
        let arguments = session.arguments.isEmpty ? ["launch"] : session.arguments
        let screens = try ServedScreens(arguments, in: application.folder)
        try browser.open(screens.address)
        for scene in session.scenes { try play(scene) }
        try wait(for: "The end", [])
        let outcome = try screens.finish()
        #expect(outcome.code == 0, "\(outcome)")
    }

    private func play(_ scene: Tape.Scene) throws {
        // A page with a problem says so in its title.
        try wait(for: scene.title, scene.sees)
        for (label, text) in scene.fills {
            let labels = "[...document.querySelectorAll('label')]"
            let input = "\(labels).find(l => l.textContent.trim() == '\(label)').htmlFor"
            guard let id = try browser.value(input) as? String else {
                throw FixtureError("no field '\(label)'")
            }
            let options = "[...document.getElementById('\(id)').options ?? []]"
            let index = try browser.value("\(options).findIndex(o => o.text.trim() == '\(text)')")
            if let index = index as? Int, index >= 0 {
                try browser.element("#\(id) option:nth-child(\(index + 1))").click()
            } else {
                try browser.element("#\(id)").fill(text)
            }
        }
        switch scene.does {
        case .quit: try browser.element("footer button").click()
        case .action(let title):
            let buttons = "[...document.querySelectorAll('.actions button')]"
            let index = try browser.value(
                "\(buttons).findIndex(b => b.textContent.trim() == '\(title)')")
            guard let index = index as? Int, index >= 0 else {
                throw FixtureError("no button '\(title)'")
            }
            try browser.element(".actions button:nth-child(\(index + 1))").click()
        }
    }

    /// Waits for a page with a title and texts, to which the browser comes by itself.
    private func wait(for title: String, _ texts: [String]) throws {
        var seen = ""
        try Patience.wait(for: "the page '\(title)' with \(texts):\n\(seen)") {
            let heading = try browser.value("document.querySelector('h1')?.textContent ?? ''")
            seen = try browser.value("document.body.innerText") as? String ?? ""
            let hasAll = texts.allSatisfy(seen.contains)
            return hasAll && heading as? String == title
        }
    }
}
