// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// The module `renderer-web` in a real browser, at the widths of a phone and of a desk.
@Suite(
    "renderer-web in Chromium", .onOwnThreads, .serialized,
    .enabled(if: ServedScreens.isPossible, "needs libmicrohttpd12"),
    .enabled(if: Browser.isPossible, "needs chromium and chromium-driver"),
    .patiently)
struct WebBrowserTests {
    struct Size: CustomTestStringConvertible {
        let name: String
        let width: Int
        let height: Int
        var testDescription: String { "\(name), \(width)×\(height)" }
    }

    static let sizes = [
        Size(name: "phone", width: 390, height: 844), Size(name: "desk", width: 1280, height: 800),
    ]
    private static let (enter, tab) = ("\u{E007}", "\u{E004}")

    @Test("is used with the keyboard alone, and says everything", arguments: sizes)
    func keyboard(_ size: Size) throws {
        let screens = try ServedScreens()
        let browser = try Browser(width: size.width, height: size.height)
        try browser.open(screens.address)
        #expect(try browser.title == "Log in")
        #expect(try browser.value("document.documentElement.lang") as? String == "en")
        try checkLayout(of: browser, size)
        try browser.picture("\(size.name)-form")

        // The first empty field has the focus, visibly: the password, since the name is filled in.
        #expect(try browser.focused.label == "Password")
        #expect(
            try browser.value("getComputedStyle(document.activeElement).outlineStyle") as? String
                == "solid")
        #expect(try browser.element("fieldset").role == "group")
        #expect(try browser.element("fieldset").label == "Language")
        #expect(try browser.element("main").role == "main")
        #expect(try browser.element("footer").role == "contentinfo")
        try browser.element("#i1").fill("Zoë <b>")
        try browser.press(Self.tab + "secret" + Self.enter)

        try wait(for: "Problem: Users", in: browser)
        #expect(try browser.element("#notice").role == "alert")
        #expect(
            try browser.element("#notice").text == "Problem: Welcome <script>alert(1)</script>")
        #expect(try browser.focused.role == "heading")
        #expect(
            try browser.element("main > p:nth-of-type(3)").text
                == "action log-in language='en' name='Zoë <b>' password='secret'")
        #expect(
            try browser.value("getComputedStyle(document.querySelector('.swatch')).backgroundColor")
                as? String == "rgb(51, 102, 204)")
        #expect(try browser.element("nav").role == "navigation")
        #expect(try browser.element("header button").label == "Back")
        try checkLayout(of: browser, size)
        try browser.picture("\(size.name)-list")

        // From the heading, the first thing to reach is the first row.
        try browser.press(Self.tab + Self.enter)
        try wait(for: "Choose", in: browser)
        #expect(try browser.element("section").role == "dialog")
        #expect(try browser.element("section").label == "Choose")
        #expect(try browser.element("main p").text == "row 1 of users")
        try checkLayout(of: browser, size)
        try browser.picture("\(size.name)-dialogue")
        try browser.element("header button").click()
        try wait(for: "Log in", in: browser)
        try browser.darken()
        try browser.picture("\(size.name)-dark")
        try browser.element("footer button").click()
        try wait(for: "The end", in: browser)
        #expect(
            try browser.element("main p").text
                == "The application has ended. You can close this window.")
        try browser.picture("\(size.name)-end")
        #expect(
            try screens.finish().lines.map { $0.split(separator: " ")[0] } == [
                "action", "row", "back", "quit",
            ])
    }

    /// Waits for a title that the browser comes to by itself.
    private func wait(for title: String, in browser: Browser) throws {
        try Patience.wait(for: "the page '\(title)'") { try browser.title == title }
    }

    /// Checks that nothing sticks out at the side, that what is used is large enough for a finger, and that a
    /// picture has the size of the window.
    private func checkLayout(of browser: Browser, _ size: Size) throws {
        let width = try browser.value("document.documentElement.scrollWidth") as? Int
        #expect(width == size.width)
        let small = try browser.value(
            """
            [...document.querySelectorAll('button:not(.hidden), input:not([type=hidden]), select')]
              .filter(e => { const r = (e.labels?.[0]?.closest('.option') ?? e).getBoundingClientRect();
                             return r.height < 24 || r.width < 24 })
              .map(e => e.outerHTML)
            """)
        #expect((small as? [Any])?.isEmpty == true, "\(small)")
        let picture = try browser.picture("layout")
        // The width in the header of a PNG.
        #expect(picture.dropFirst(16).prefix(4).reduce(0) { $0 << 8 | Int($1) } == size.width)
    }
}
