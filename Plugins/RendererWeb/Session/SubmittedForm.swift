// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface

/// A form that a page sent: the texts of its inputs, and the button.
struct SubmittedForm: Hashable, Sendable {
    private let values: [String: String]

    /// Decodes a body of the type `application/x-www-form-urlencoded`. The last one of several values with a
    /// name counts.
    init(_ body: [UInt8]) {
        var values: [String: String] = [:]
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            values[Self.decoded(parts[0])] = parts.count == 2 ? Self.decoded(parts[1]) : ""
        }
        self.values = values
    }

    subscript(name: String) -> String? { values[name] }

    /// The number of the page; `nil` if it is missing or no number.
    var page: Int? { self[ScreenPage.numberName].flatMap { Int($0) } }

    /// The event that the button stands for on a screen; `nil` if the screen has no such button.
    func event(on screen: Screen, in frame: ScreenFrame, _ form: Form) -> DisplayEvent? {
        guard let button = self[ScreenPage.buttonName] else { return nil }
        switch button.utf8.first {
        case UInt8(ascii: "a"):
            guard let index = Int(button.dropFirst()), screen.actions.indices.contains(index)
            else { return nil }
            return .input(ScreenInput(.action(screen.actions[index].id), form))
        case UInt8(ascii: "r"):
            let places = button.dropFirst().split(separator: ".").map { Int($0) }
            guard places.count == 2, let index = places[0], let place = places[1],
                screen.elements.indices.contains(index),
                case .list(let list) = screen.elements[index], list.rows.indices.contains(place)
            else { return nil }
            return .input(ScreenInput(.row(list.rows[place].id, list: list.id), form))
        default:
            if button == "back", frame.canGoBack { return .back(form) }
            return button == "quit" ? .quit(form) : nil
        }
    }

    /// The texts and options that are filled in on a screen.
    ///
    /// - Parameters:
    ///   - form: The content of what the form lacks.
    ///   - keepsSecrets: Whether to take over secrets as well.
    func content(of screen: Screen, over form: Form, keepsSecrets: Bool) -> Form {
        var filled = form
        for element in screen.elements {
            switch element {
            case .field(let field) where keepsSecrets || !field.isSecret:
                // A field is one line, whatever was sent.
                filled[field.id] =
                    self[ScreenPage.inputName(field.id)].map { String($0.filter { !$0.isNewline }) }
                    ?? form[field.id]
            case .choice(let choice):
                guard let option = self[ScreenPage.inputName(choice.id)],
                    choice.options.contains(where: { $0.id == option })
                else { continue }
                filled[choice.id] = option
            default: break
            }
        }
        return filled
    }

    /// Replaces `+` and `%20` and the like. A `%` without digits stands for itself, as browsers read it.
    private static func decoded(_ text: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"):
                bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.first.flatMap(digit),
                    let low = rest.dropFirst().first.flatMap(digit)
                else { fallthrough }
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            default:
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.flatMap(UInt8.init)
    }
}
