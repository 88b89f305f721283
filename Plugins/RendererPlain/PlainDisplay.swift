// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Writes a screen, asks for each field and choice, and then for what to do.
///
/// At each question, a word with a slash in front is a command, such as `/back`.
struct PlainDisplay: ScreenDisplay {
    let console: any Console

    var canBeInterrupted: Bool { false }

    func show(_ screen: Screen, in frame: ScreenFrame) async throws -> DisplayEvent {
        try console.write(PlainText.lines(of: screen, in: frame).map { $0 + "\n" }.joined())
        var form = frame.form
        var commands = PlainCommands(screen: screen, canGoBack: frame.canGoBack)
        for element in screen.elements {
            let answer: PlainCommands.Meaning?
            switch element {
            case .field(let field): answer = try ask(field, &form, &commands)
            case .choice(let choice): answer = try ask(choice, &form, &commands)
            default: answer = nil
            }
            if let answer { return answer.event(form) }
        }
        while true {
            guard let line = try answer(to: commands.question) else { return .quit(form) }
            switch commands.meaning(of: line) {
            case .success(let meaning): return meaning.event(form)
            case .failure(let unknown): try console.print(unknown.description)
            }
        }
    }

    func close() async {}

    /// Asks a question. An answer that is not typed does not end the line.
    private func answer(to question: String) throws -> String? {
        let answer = try console.ask(question)
        if !console.isInteractive { try console.write("\n") }
        return answer
    }

    private func ask(
        _ field: Screen.Field, _ form: inout Form, _ commands: inout PlainCommands
    ) throws -> PlainCommands.Meaning? {
        let current = form.values[field.id] ?? field.value
        let hint = current.isEmpty || field.isSecret ? "" : " [\(current)]"
        form[field.id] = current
        while true {
            let question = "\(field.label)\(hint): "
            let line =
                field.isSecret
                ? try HiddenInput.ask(question, console) : try answer(to: question)
            guard let line else { return .quit }
            switch try commands.command(in: line, console) {
            case .command(let meaning): return meaning
            case .again: continue
            case .text(let text):
                if !text.isEmpty { form[field.id] = text }
                return nil
            }
        }
    }

    private func ask(
        _ choice: Screen.Choice, _ form: inout Form, _ commands: inout PlainCommands
    ) throws -> PlainCommands.Meaning? {
        let current = form.values[choice.id] ?? choice.selected
        form[choice.id] = current
        let titles = choice.options.map(\.title).joined(separator: ", ")
        let title = choice.options.first { $0.id == current }?.title ?? current
        while true {
            guard let line = try answer(to: "\(choice.label) (\(titles)) [\(title)]: ") else {
                return .quit
            }
            switch try commands.command(in: line, console) {
            case .command(let meaning): return meaning
            case .again: continue
            case .text(""): return nil
            case .text(let text):
                if let option = choice.options.first(where: {
                    $0.title.lowercased() == text.lowercased() || $0.id == text
                }) {
                    form[choice.id] = option.id
                    return nil
                }
                try console.print("'\(text)' is none of: \(titles).")
            }
        }
    }
}
