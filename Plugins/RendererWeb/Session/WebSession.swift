// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface

/// The pages that browsers see, and what their forms do: the states of a display, as a value.
///
/// A page has a number. Its form counts only while this very page is shown: the form of a page of earlier, of
/// another tab, or one sent twice leads to the current page, with a remark.
struct WebSession {
    /// The stages between one screen and the next.
    private enum Phase {
        /// The application works. It has shown this page before, and stopped it without an answer.
        case working(interrupted: ScreenPage?)
        case showing(ScreenPage)
        case ended
    }

    let gate: WebGate
    private var phase = Phase.working(interrupted: nil)
    private var lastNumber = 0
    /// The numbers of the pages before the current one that showed the same screen, with other content.
    private var kin: Set<Int> = []
    /// Whether a browser has been sent to another address, and has not asked for it yet.
    private(set) var isVisitDue = false

    init(gate: WebGate = WebGate()) {
        self.gate = gate
    }

    // MARK: Showing

    /// Shows a screen. Answers to an interrupted page that showed just the same count for this one.
    mutating func publish(_ screen: Screen, in frame: ScreenFrame) {
        var number = lastNumber + 1
        if case .working(let former?) = phase, former.frame.trail == frame.trail,
            former.frame.isModal == frame.isModal, former.screen.title == screen.title
        {
            kin.insert(former.number)
            if former.screen == screen { number = former.number }
        } else {
            kin = []
        }
        lastNumber = max(lastNumber, number)
        phase = .showing(
            ScreenPage(
                number: number, screen: screen, frame: frame,
                form: Self.form(of: screen, in: frame)))
    }

    /// Stops showing the screen without an answer; what is filled in, as far as browsers have sent it.
    mutating func interrupt() -> Form {
        guard case .showing(let page) = phase else { return Form() }
        phase = .working(interrupted: page)
        return page.form
    }

    mutating func end() {
        phase = .ended
    }

    private static func form(of screen: Screen, in frame: ScreenFrame) -> Form {
        var form = Form()
        for element in screen.elements {
            switch element {
            // A secret is not written into a page, and so is to be filled in again.
            case .field(let field) where field.isSecret: form[field.id] = ""
            case .field(let field): form[field.id] = frame.form.values[field.id] ?? field.value
            case .choice(let choice):
                form[choice.id] = frame.form.values[choice.id] ?? choice.selected
            default: break
            }
        }
        return form
    }

    // MARK: Answering

    /// Answers a request that the gate lets through.
    ///
    /// - Parameter isOverdue: Whether the request has waited for as long as it may.
    mutating func answer(_ request: WebRequest, isOverdue: Bool = false) -> WebAnswer {
        isVisitDue = false
        if case .ended = phase { return .respond(PageDocument.ended.response(closes: true)) }
        switch (gate.place(in: request.path), request.isForm) {
        case ("", true):
            return submit(SubmittedForm(request.body), request, isOverdue)
        case ("", false):
            return visit(request, isOverdue, remark: nil)
        case ("moved", false):
            return visit(request, isOverdue, remark: Self.moved)
        case (let place?, false):
            let parts = place.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == ScreenPage.waitName, let seen = Int(parts[1]) else {
                fallthrough
            }
            return waitForPage(after: seen, request, isOverdue)
        default:
            return .respond(.plain(404, "Not found"))
        }
    }

    /// Answers a page that goes on by itself, as soon as another one is shown. No page has the number 0.
    private mutating func waitForPage(
        after seen: Int, _ request: WebRequest, _ isOverdue: Bool
    ) -> WebAnswer {
        switch phase {
        case .showing(let page) where page.number != seen: redirect(to: "")
        case .showing where isOverdue: visit(request, isOverdue, remark: nil)
        default: wait(request, isOverdue, limit: .seconds(20))
        }
    }

    /// Answers the request whose form made an event, after the application has gone on or the time is up.
    mutating func answerAfterEvent(isOverdue: Bool) -> WebAnswer {
        switch phase {
        case .ended: return .respond(PageDocument.ended.response(closes: true))
        case .working where !isOverdue: return .wait(.seconds(1))
        default: return redirect(to: "")
        }
    }

    private static let moved =
        "The page that you used was not the current one any more, so nothing was done. This is the "
        + "current page."

    private mutating func visit(
        _ request: WebRequest, _ isOverdue: Bool, remark: String?
    ) -> WebAnswer {
        guard case .showing(var page) = phase else {
            return wait(request, isOverdue, limit: .seconds(1))
        }
        page.remark = remark
        return .respond(page.document.response())
    }

    private mutating func wait(
        _ request: WebRequest, _ isOverdue: Bool, limit: Duration
    ) -> WebAnswer {
        guard isOverdue else { return .wait(limit) }
        isVisitDue = true
        return .respond(PageDocument.working.response())
    }

    private mutating func redirect(to place: String) -> WebAnswer {
        isVisitDue = true
        return .respond(.seeOther(gate.root + place))
    }

    private mutating func submit(
        _ form: SubmittedForm, _ request: WebRequest, _ isOverdue: Bool
    ) -> WebAnswer {
        guard let number = form.page else { return .respond(Self.malformed) }
        switch phase {
        case .showing(let page) where page.number == number:
            let filled = form.content(of: page.screen, over: page.form, keepsSecrets: true)
            guard let event = form.event(on: page.screen, in: page.frame, filled) else {
                return .respond(Self.malformed)
            }
            phase = .working(interrupted: nil)
            return .event(event)
        case .showing(var page):
            // The person's typing is not lost when the same screen has other content now.
            if kin.contains(number) {
                page.form = form.content(of: page.screen, over: page.form, keepsSecrets: false)
                phase = .showing(page)
            }
            return redirect(to: "moved")
        case .working(let page?) where page.number == number && !isOverdue:
            // The same screen may be shown again at once.
            return .wait(.seconds(1))
        default:
            return redirect(to: "moved")
        }
    }

    private static let malformed =
        PageDocument.refused("The form was not understood.").response(status: 400)
}

/// The way to answer a request.
enum WebAnswer: Hashable, Sendable {
    /// With this response.
    case respond(WebResponse)
    /// Not yet: when the next page is there, at the latest after this time.
    case wait(Duration)
    /// The request has made this event, and waits for what the application does.
    case event(DisplayEvent)
}
