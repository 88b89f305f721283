// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// The words that a person can type to do something on a screen.
struct PlainCommands {
    /// A request that a line stands for.
    enum Meaning: Equatable {
        case input(ScreenInput.Kind)
        case back
        case quit

        func event(_ form: Form) -> DisplayEvent {
            switch self {
            case .input(let kind): .input(ScreenInput(kind, form))
            case .back: .back(form)
            case .quit: .quit(form)
            }
        }
    }

    /// A line that was typed at a question.
    enum Answer {
        case command(Meaning)
        case text(String)
        /// The line was no command that there is; the person was told.
        case again
    }

    /// A line that asks for nothing that there is.
    struct Unknown: Error, CustomStringConvertible {
        let description: String
    }

    /// The titles, in the order in which they are offered, and what they stand for.
    private let words: [(title: String, meaning: Meaning)]
    private let rows: [Meaning]

    init(screen: Screen, canGoBack: Bool) {
        rows = screen.elements.flatMap { element -> [Meaning] in
            guard case .list(let list) = element else { return [] }
            return list.rows.map { .input(.row($0.id, list: list.id)) }
        }
        words =
            screen.actions.map { (PlainText.line($0.title), .input(.action($0.id))) }
            + (canGoBack ? [("Back", .back)] : []) + [("Quit", .quit)]
    }

    /// The question that names everything that can be done.
    var question: String {
        let titles = (rows.isEmpty ? [] : ["a number"]) + words.map(\.title)
        return "[\(titles.joined(separator: " | "))] "
    }

    /// Finds what a line asks for: a row's number, a title or its beginning. An empty line stands for the
    /// first action.
    func meaning(of line: String) -> Result<Meaning, Unknown> {
        let word = Self.trimmed(line.hasPrefix("/") ? line.dropFirst() : line[...]).lowercased()
        if word.isEmpty {
            if case .input? = words.first?.meaning { return .success(words[0].meaning) }
            return .failure(Unknown(description: "Type one of: \(offered)."))
        }
        if let number = Int(word) {
            guard rows.indices.contains(number - 1) else {
                return .failure(Unknown(description: "There is no line \(number)."))
            }
            return .success(rows[number - 1])
        }
        let titles = words.map { $0.title.lowercased() }
        if let exact = titles.firstIndex(of: word) { return .success(words[exact].meaning) }
        let beginnings = titles.indices.filter { titles[$0].hasPrefix(word) }
        guard beginnings.count == 1 else {
            let problem = beginnings.isEmpty ? "is nothing that can be done here" : "is not unique"
            return .failure(Unknown(description: "'\(word)' \(problem). Type one of: \(offered)."))
        }
        return .success(words[beginnings[0]].meaning)
    }

    /// Tells a command, which has a slash in front, from a text. Two slashes begin a text with one.
    func command(in line: String, _ console: any Console) throws -> Answer {
        guard line.hasPrefix("/") else { return .text(line) }
        if line.hasPrefix("//") { return .text(String(line.dropFirst())) }
        switch meaning(of: line) {
        case .success(let meaning): return .command(meaning)
        case .failure(let unknown):
            try console.print(unknown.description)
            return .again
        }
    }

    private var offered: String { words.map(\.title).joined(separator: ", ") }

    private static func trimmed(_ text: Substring) -> String {
        String(
            text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
