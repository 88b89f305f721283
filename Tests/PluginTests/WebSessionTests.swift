// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesTestSupport
import Testing

@testable import RendererWeb

/// What requests do, without the server.
@Suite("session of the web renderer", .onOwnThreads) struct WebSessionTests {
    private let gate = WebGate(secret: "0123456789abcdef0123456789abcdef")
    private let form = Screen(
        "Log in",
        [
            .field(Screen.Field("name", "Name", value: "Ada")),
            .field(Screen.Field("password", "Password", isSecret: true)),
            .choice(
                Screen.Choice(
                    "tongue", "Language", [Screen.Option("en", "E"), Screen.Option("de", "D")],
                    selected: "en")),
            .list(Screen.List("users", [Screen.Row("x", "X"), Screen.Row("y", "Y")])),
        ], actions: [Screen.Action("go", "Go"), Screen.Action("stop", "Stop")])

    private func request(
        _ method: String = "GET", _ place: String = "", _ body: String = ""
    ) -> WebRequest {
        WebRequest(
            method: method, path: gate.root + place, host: "127.0.0.1:8000",
            contentType: "application/x-www-form-urlencoded",
            contentLength: String(body.utf8.count), body: Array(body.utf8))
    }

    private func showing(_ screen: Screen, _ frame: ScreenFrame = ScreenFrame()) -> WebSession {
        var session = WebSession(gate: gate)
        session.publish(screen, in: frame)
        return session
    }

    private func response(_ answer: WebAnswer) throws -> WebResponse {
        guard case .respond(let response) = answer else { throw Unexpected(answer: answer) }
        return response
    }

    private func target(_ answer: WebAnswer) throws -> String? {
        try response(answer).headers.first { $0.name == "Location" }?.value
    }

    @Test(
        "answers forms with events",
        arguments: [
            ("a0", DisplayEvent.input(ScreenInput(.action("go"), filled))),
            ("a1", .input(ScreenInput(.action("stop"), filled))),
            ("r3.1", .input(ScreenInput(.row("y", list: "users"), filled))),
            ("quit", .quit(filled)), ("back", .back(filled)),
        ])
    func events(_ button: String, _ event: DisplayEvent) {
        var session = showing(form, ScreenFrame(trail: ["Up"]))
        let body = "page=1&f:name=A%26+b%c3%a4%0d%0a&f%3Apassword=p%3D1&f:tongue=de&do=\(button)"
        #expect(session.answer(request("POST", "", body)) == .event(event))
    }

    private static let filled = Form(["name": "A& bä", "password": "p=1", "tongue": "de"])

    @Test(
        "refuses buttons that the screen does not have, and changes nothing",
        arguments: [
            "a2", "a-1", "a", "r3.2", "r0.0", "r3", "r3.1.1", "back", "", "x",
        ])
    func unknownButtons(_ button: String) throws {
        var session = showing(form)
        let answer = session.answer(request("POST", "", "page=1&f:name=New&do=\(button)"))
        #expect(try response(answer).status == 400)
        #expect(try response(session.answer(request())).body.contains("value=\"Ada\""))
    }

    @Test("leaves an option as it was if the form names another one")
    func unknownOption() {
        var session = showing(form)
        let expected = Form(["name": "Ada", "password": "", "tongue": "en"])
        #expect(
            session.answer(request("POST", "", "page=1&f:tongue=%27xx&do=a0"))
                == .event(.input(ScreenInput(.action("go"), expected))))
    }

    @Test("does nothing for the form of another page, and shows the current one")
    func stale() throws {
        var session = showing(form)
        let first = request("POST", "", "page=1&do=a0")
        guard case .event = session.answer(first) else { Issue.record("no event"); return }
        // Sent twice, while the application works, and after it has gone on.
        #expect(try target(session.answer(first)) == gate.root + "moved")
        session.publish(
            Screen("Home", actions: [Screen.Action("erase", "Erase")]), in: ScreenFrame())
        #expect(try target(session.answer(first)) == gate.root + "moved")
        let shown = try response(session.answer(request("GET", "moved")))
        #expect(shown.body.contains("<h1 id=\"title\""))
        #expect(shown.body.contains("was not the current one any more"))
        #expect(try !response(session.answer(request())).body.contains("any more"))
        // Nobody has taken the page's own event.
        #expect(
            session.answer(request("POST", "", "page=2&do=a0"))
                == .event(.input(ScreenInput(.action("erase"), Form()))))
    }

    @Test("keeps a page's number when the same screen is shown again after an interruption")
    func interruption() {
        var session = showing(form, ScreenFrame(form: Form(["name": "Eve"])))
        #expect(session.interrupt() == Form(["name": "Eve", "password": "", "tongue": "en"]))
        let sent = request("POST", "", "page=1&do=a1&f:name=Typed")
        #expect(session.answer(sent) == .wait(.seconds(1)))
        session.publish(form, in: ScreenFrame())
        let expected = Form(["name": "Typed", "password": "", "tongue": "en"])
        #expect(
            session.answer(sent) == .event(.input(ScreenInput(.action("stop"), expected))))
    }

    @Test("keeps what was typed when the screen has other content, without secrets")
    func draft() throws {
        var session = showing(form)
        _ = session.interrupt()
        var changed = form
        changed.elements.insert(.text("News"), at: 0)
        session.publish(changed, in: ScreenFrame())
        let sent = request("POST", "", "page=1&do=a0&f:name=Typed&f:password=s3cret&f:tongue=de")
        #expect(try target(session.answer(sent)) == gate.root + "moved")
        let shown = try response(session.answer(request("GET", "moved"))).body
        #expect(shown.contains("value=\"Typed\""))
        #expect(!shown.contains("s3cret"))
        #expect(session.interrupt() == Form(["name": "Typed", "password": "", "tongue": "de"]))
        // Another screen takes over nothing.
        session.publish(Screen("Other", [.field(Screen.Field("name", "Name"))]), in: ScreenFrame())
        _ = session.answer(sent)
        #expect(try !response(session.answer(request())).body.contains("Typed"))
    }

    @Test("lets requests wait for the next page, and no longer than they may")
    func waiting() throws {
        var session = WebSession(gate: gate)
        #expect(session.answer(request()) == .wait(.seconds(1)))
        #expect(session.answer(request("GET", "wait-0")) == .wait(.seconds(20)))
        let late = try response(session.answer(request(), isOverdue: true))
        #expect(late.body.contains("http-equiv=\"refresh\" content=\"1;url=wait-0\""))
        #expect(session.isVisitDue)
        #expect(session.answerAfterEvent(isOverdue: false) == .wait(.seconds(1)))
        #expect(try target(session.answerAfterEvent(isOverdue: true)) == gate.root)
        session.publish(Screen("Wait", [.text("Please wait")]), in: ScreenFrame())
        #expect(try target(session.answer(request("GET", "wait-0"))) == gate.root)
        #expect(session.answer(request("GET", "wait-1")) == .wait(.seconds(20)))
        #expect(
            try response(session.answer(request("GET", "wait-1"), isOverdue: true)).status == 200)
        #expect(!session.isVisitDue)
        session.end()
        for place in ["", "moved", "wait-1"] {
            let last = try response(session.answer(request("GET", place)))
            #expect(last.body.contains("You can close this window."))
        }
        #expect(
            try response(session.answer(request("POST", "", "page=1&do=quit"))).body
                .contains("You can close this window."))
    }

    @Test(
        "has no other places",
        arguments: ["wait", "wait-", "wait-x", "wait-1-2", "favicon.ico", "../"])
    func places(_ place: String) throws {
        var session = showing(form)
        #expect(try response(session.answer(request("GET", place))).status == 404)
        #expect(try response(session.answer(request("POST", place, "page=1&do=a0"))).status == 404)
    }

    @Test("tells a display whose task is cancelled, before and while it shows")
    func cancellation() async {
        let display = WebDisplay()
        let form = form
        for _ in 0..<100 {
            let showing = Task { await display.show(form, in: ScreenFrame()) }
            showing.cancel()
            let expected = Form(["name": "Ada", "password": "", "tongue": "en"])
            #expect(await showing.value == .interrupted(expected))
        }
        await display.close()
    }
}

/// An answer was another one than the test expects.
private struct Unexpected: Error {
    let answer: WebAnswer
}
