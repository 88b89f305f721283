// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesTestSupport
import Testing

@testable import RendererWeb

/// Screens as pages, without the server.
@Suite("pages of the web renderer", .onOwnThreads) struct WebPageTests {
    private let evil = "<script>alert('1')</script>\" onfocus=\"x&"

    private func page(
        _ screen: Screen, _ frame: ScreenFrame = ScreenFrame(), _ form: Form = Form(),
        remark: String? = nil
    ) -> String {
        ScreenPage(number: 7, screen: screen, frame: frame, form: form, remark: remark)
            .document.html(nonce: "n").text
    }

    @Test("escape every text of a screen")
    func escaping() {
        let many = (0..<9).map { Screen.Option("\(evil)\($0)", evil) }
        let screen = Screen(
            evil,
            [
                .text(evil), .problem(evil), .field(Screen.Field(evil, evil)),
                .choice(Screen.Choice(evil + "c", evil, Array(many.prefix(2)), selected: evil)),
                .choice(Screen.Choice(evil + "d", evil, many, selected: many[0].id)),
                .list(Screen.List(evil, [Screen.Row(evil, evil, detail: evil, color: evil)])),
                .list(Screen.List("empty", [], placeholder: evil)),
            ], actions: [Screen.Action(evil, evil)])
        let frame = ScreenFrame(trail: [evil], isModal: true, notice: evil)
        let text = page(screen, frame, Form([evil: evil]), remark: evil)
        #expect(!text.contains("<script"))
        #expect(!text.contains("\" onfocus"))
        #expect(text.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot; onfocus"))
        // Each of the texts is there, and nothing but the style is taken as it is.
        #expect(text.split(separator: "&lt;script&gt;").count > 30)
        #expect(HTML.escaped("a\u{0}b\u{1b}[1m\nc") == "a\u{fffd}b\u{fffd}[1m\nc")
    }

    @Test("never have a secret in them")
    func secrets() {
        let screen = Screen(
            "Log in",
            [.field(Screen.Field("password", "Password", value: "s3cret", isSecret: true))])
        let text = page(
            screen, ScreenFrame(form: Form(["password": "s3cret"])), Form(["password": "s3cret"]))
        #expect(!text.contains("s3cret"))
        #expect(text.contains("type=\"password\" name=\"f:password\" autocomplete=\"off\""))
    }

    @Test(
        "take a colour only as six digits",
        arguments: [
            "red", "#36c", "#3366cc;}", "#3366c\u{301}", "3366cc", "#3366cg", "#3366cc ", "",
            "#+366cc",
        ])
    func badColors(_ color: String) {
        let row = Screen.Row("1", "Row", color: color)
        let text = page(Screen("List", [.list(Screen.List("l", [row]))]))
        #expect(!text.contains("swatch c"))
    }

    @Test("give a colour a rule of the style, not an attribute")
    func colors() {
        let rows = ["#3366CC", "#3366cc"].map { Screen.Row($0, "Row", color: $0) }
        let text = page(Screen("List", [.list(Screen.List("l", rows))]))
        #expect(text.split(separator: ".c3366cc{background:#3366cc}").count == 2)
        #expect(!text.contains("style="))
    }

    @Test("give the focus to the first empty field, and say the messages with it")
    func focus() {
        let fields = ["a", "b"].map { Screen.Element.field(Screen.Field($0, $0)) }
        let screen = Screen("Title", [.problem("Wrong")] + fields)
        let text = page(screen, ScreenFrame(notice: "Note"), Form(["a": "filled"]))
        #expect(
            text.contains(
                "name=\"f:b\" value=\"\" autocomplete=\"off\" spellcheck=\"false\" "
                    + "autofocus aria-describedby=\"notice e0\">"))
        #expect(text.split(separator: " autofocus").count == 2)
        #expect(
            page(Screen("Title")).contains("<h1 id=\"title\" autofocus tabindex=\"-1\">Title</h1>"))
    }

    @Test("say with a word what is a problem, and in the title that there is one")
    func problems() {
        let word = "<strong>Problem:</strong> "
        let refused = page(Screen("Log in"), ScreenFrame(notice: "It is wrong."))
        #expect(refused.contains("id=\"notice\">\(word)It is wrong.</p>"))
        #expect(refused.contains("<title>Problem: Log in</title>"))
        let broken = page(Screen("Users", [.problem("It is down.")]))
        #expect(broken.contains("id=\"e0\"><strong>Problem:</strong> It is down.</p>"))
        let moved = page(Screen("Users"), remark: "It moved.")
        #expect(moved.contains("id=\"remark\">It moved.</p>"))
        #expect(moved.contains("<title>Users</title>"))
    }

    @Test("put the most usual action first for the Enter key, or none")
    func enter() throws {
        let list = Screen.Element.list(Screen.List("l", [Screen.Row("1", "Row")]))
        let text = page(
            Screen("T", [list], actions: [Screen.Action("save", "Save")]),
            ScreenFrame(trail: ["Up"]))
        let first = try #require(text.firstRange(of: "<button"))
        #expect(
            text[first.lowerBound...].hasPrefix(
                "<button type=\"submit\" class=\"hidden\" name=\"do\" value=\"a0\""))
        #expect(page(Screen("T", [list])).contains("aria-hidden=\"true\" disabled></button>"))
    }

    @Test("go on by themselves only where there is nothing to use")
    func refresh() {
        #expect(page(Screen("Wait", [.text("Please wait")])).contains("content=\"1;url=wait-7\""))
        for element in [
            Screen.Element.field(Screen.Field("a", "A")),
            .choice(Screen.Choice("c", "C", [], selected: "")),
            .list(Screen.List("l", [])),
        ] {
            #expect(!page(Screen("Use", [element])).contains("http-equiv"))
        }
        #expect(!page(Screen("Use", actions: [Screen.Action("a", "A")])).contains("http-equiv"))
    }

    @Test("have the same headers in every response, and a policy without scripts")
    func headers() throws {
        let first = PageDocument.ended.response()
        let second = PageDocument.ended.response()
        let policies = try [first, second].map { response in
            try #require(response.headers.first { $0.name == "Content-Security-Policy" }).value
        }
        #expect(policies[0] != policies[1])
        #expect(policies[0].hasPrefix("default-src 'none'; style-src 'nonce-"))
        for response in [first, .plain(404, "Not found"), .seeOther("/")] {
            let names = Set(response.headers.map(\.name))
            #expect(
                names.isSuperset(of: [
                    "Cache-Control", "Content-Security-Policy", "Content-Type", "Referrer-Policy",
                    "X-Content-Type-Options", "X-Frame-Options",
                ]))
        }
    }

    @Test("have colours that can be read", arguments: [PageStyle.bright, PageStyle.dark])
    func contrast(_ palette: PageStyle.Palette) {
        let texts = [
            (palette.text, palette.ground), (palette.text, palette.surface),
            (palette.text, palette.notice), (palette.quiet, palette.ground),
            (palette.quiet, palette.surface), (palette.quiet, palette.notice),
            (palette.accent, palette.ground), (palette.onAccent, palette.accent),
            (palette.problem, palette.surface),
        ]
        // The limits of WCAG 2.2, level AA.
        for (text, ground) in texts { #expect(ratio(text, ground) >= 4.5, "\(text) on \(ground)") }
        #expect(ratio(palette.line, palette.surface) >= 3)
        #expect(ratio(palette.accent, palette.surface) >= 3)
    }

    /// The contrast of two colours, as WCAG computes it.
    private func ratio(_ first: String, _ second: String) -> Double {
        let both = [first, second].map(luminance).sorted()
        return (both[1] + 0.05) / (both[0] + 0.05)
    }

    private func luminance(_ color: String) -> Double {
        let value = Int(color.dropFirst(), radix: 16) ?? 0
        let parts = [value >> 16, value >> 8, value].map { part -> Double in
            let part = Double(part & 255) / 255
            return part <= 0.04045 ? part / 12.92 : power((part + 0.055) / 1.055)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    /// `base` to the power of 2.4: the fifth root of its twelfth power.
    private func power(_ base: Double) -> Double {
        let target = (0..<12).reduce(1.0) { product, _ in product * base }
        var root = 1.0
        for _ in 0..<200 { root -= (root - target / (root * root * root * root)) / 5 }
        return root
    }
}
