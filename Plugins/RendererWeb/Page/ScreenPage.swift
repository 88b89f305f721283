// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface

/// A screen as a page: one form, whose buttons are the rows, the actions and the ways out.
struct ScreenPage {
    /// The name of the hidden field that says which page a form was sent from.
    static let numberName = "page"
    /// The name of the buttons.
    static let buttonName = "do"

    /// The number that tells a form of this page from those of others.
    var number: Int
    var screen: Screen
    var frame: ScreenFrame
    /// The texts and options that are filled in. Secrets in it are not written.
    var form: Form
    /// A message about the page itself, such as that another form was out of date.
    var remark: String?

    /// The name of the input of a field or a choice.
    static func inputName(_ id: String) -> String { "f:" + id }

    /// The page as a whole.
    var document: PageDocument {
        PageDocument(
            title: (hasProblem ? "Problem: " : "") + screen.title, body: body,
            colors: colors, next: isStill ? "\(HTML(stringLiteral: Self.waitName))-\(number)" : nil)
    }

    /// The address that waits until another page than this one is shown, after `-` and its number.
    static let waitName = "wait"

    /// Whether the person can only read and wait. The page then goes on by itself when another one is shown;
    /// any other page stays as long as a person may be using it.
    private var isStill: Bool {
        screen.actions.isEmpty
            && screen.elements.allSatisfy { element in
                switch element {
                case .text, .problem: true
                default: false
                }
            }
    }

    private var body: HTML {
        """
        <form method="post" action="./" accept-charset="utf-8" autocomplete="off">
        <input type="hidden" name="\(Self.numberName)" value="\(number)">
        \(defaultButton)
        \(header, if: frame.canGoBack)
        <main\(" class=\"modal\"", if: frame.isModal)>
        \(frame.isModal ? dialogue : content)
        </main>
        <footer>
        <button type="submit" class="quiet" name="do" value="quit">Leave</button>
        <span>Leave ends the application.</span>
        </footer>
        </form>
        """
    }

    /// The Enter key in a field presses the first button of the form: that has to be the most usual action,
    /// and neither a row nor the way back.
    private var defaultButton: HTML {
        let title = screen.actions.first?.title ?? ""
        let rest: HTML = screen.actions.isEmpty ? " disabled" : ""
        return """
            <button type="submit" class="hidden" name="do" value="a0" tabindex="-1" \
            aria-hidden="true"\(rest)>\(title)</button>
            """
    }

    /// The way back, and where it leads.
    private var header: HTML {
        let steps = HTML(frame.trail.map { "<li>\($0)</li>" })
        let (title, sign): (HTML, HTML) = frame.isModal ? ("Close", "×") : ("Back", "←")
        return """
            <header>
            <nav aria-label="Path"><ol>
            \(steps)
            <li aria-current="page">\(screen.title)</li>
            </ol></nav>
            <button type="submit" class="quiet" name="do" value="back">\
            <span aria-hidden="true">\(sign)</span> \(title)</button>
            </header>
            """
    }

    private var dialogue: HTML {
        """
        <section role="dialog" aria-labelledby="title">
        \(content)
        </section>
        """
    }

    private var content: HTML {
        var parts: [HTML] = ["<h1 id=\"title\"\(focus, if: firstInput == nil)>\(screen.title)</h1>"]
        for message in messages {
            let word: HTML = message.isProblem ? "<strong>Problem:</strong> " : ""
            parts.append(
                "<p class=\"notice\" role=\"alert\" id=\"\(message.id)\">\(word)\(message.text)</p>"
            )
        }
        for (index, element) in screen.elements.enumerated() {
            parts.append(html(of: element, at: index))
        }
        if !screen.actions.isEmpty { parts.append(actions) }
        return HTML(parts)
    }

    private var actions: HTML {
        let buttons = HTML(
            screen.actions.enumerated().map { index, action in
                """
                <button type="submit"\(" class=\"primary\"", if: index == 0) name="do" \
                value="a\(index)">\(action.title)</button>
                """
            })
        return """
            <div class="actions" role="group" aria-label="Actions">
            \(buttons)
            </div>
            """
    }
}

// MARK: - Messages and focus

extension ScreenPage {
    /// The messages above the content.
    private var messages: [(id: String, text: String, isProblem: Bool)] {
        [("notice", frame.notice, true), ("remark", remark, false)]
            .compactMap { id, text, isProblem in text.map { (id, $0, isProblem) } }
    }

    private var hasProblem: Bool {
        frame.notice != nil
            || screen.elements.contains { if case .problem = $0 { true } else { false } }
    }

    /// The element that gets the focus: the first field that nothing is filled in yet, else the first one.
    var firstInput: String? {
        let fields = screen.elements.compactMap { element -> Screen.Field? in
            if case .field(let field) = element { field } else { nil }
        }
        // Secrets are written nowhere, and so have to be filled in again.
        return (fields.first { $0.isSecret || form[$0.id].isEmpty } ?? fields.first)?.id
    }

    /// The attributes that focus an element, and let a screen reader say the messages with it.
    var focus: HTML {
        let problems = screen.elements.indices.filter { index in
            if case .problem = screen.elements[index] { true } else { false }
        }
        let ids = messages.map(\.id) + problems.map { "e\($0)" }
        let described: HTML =
            ids.isEmpty ? "" : " aria-describedby=\"\(ids.joined(separator: " "))\""
        return " autofocus\(" tabindex=\"-1\"", if: firstInput == nil)\(described)"
    }

    /// The colours of the rows, which the style has a rule for.
    private var colors: [PageColor] {
        let found = screen.elements.flatMap { element -> [PageColor] in
            guard case .list(let list) = element else { return [] }
            return list.rows.compactMap { $0.color.flatMap(PageColor.init) }
        }
        return Set(found).sorted { $0.digits < $1.digits }
    }
}
