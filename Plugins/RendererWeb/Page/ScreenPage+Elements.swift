// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface

/// The elements of a screen, as parts of its page.
extension ScreenPage {
    /// A choice of more options than these is a list to unfold.
    private static let radioLimit = 6

    func html(of element: Screen.Element, at index: Int) -> HTML {
        switch element {
        case .text(let text): return "<p>\(text)</p>"
        case .problem(let text):
            return """
                <p class="problem" role="alert" id="e\(index)">\
                <strong>Problem:</strong> \(text)</p>
                """
        case .field(let field): return html(of: field, at: index)
        case .choice(let choice) where choice.options.count > Self.radioLimit:
            return unfolding(choice, at: index)
        case .choice(let choice): return radios(choice, at: index)
        case .list(let list): return html(of: list, at: index)
        @unknown default: return ""
        }
    }

    private func html(of field: Screen.Field, at index: Int) -> HTML {
        let kind: HTML = field.isSecret ? "password" : "text"
        // A secret is never sent back to the browser, so that neither its cache nor "view source" has it.
        let value: HTML = field.isSecret ? "" : " value=\"\(form[field.id])\""
        return """
            <div class="field">
            <label for="i\(index)">\(field.label)</label>
            <input id="i\(index)" type="\(kind)" name="\(Self.inputName(field.id))"\(value) \
            autocomplete="off" spellcheck="false"\(focus, if: field.id == firstInput)>
            </div>
            """
    }

    private func radios(_ choice: Screen.Choice, at index: Int) -> HTML {
        let options = HTML(
            choice.options.enumerated().map { place, option in
                """
                <div class="option"><input id="i\(index)o\(place)" type="radio" \
                name="\(Self.inputName(choice.id))" value="\(option.id)"\
                \(" checked", if: option.id == form[choice.id])>\
                <label for="i\(index)o\(place)">\(option.title)</label></div>
                """
            })
        return """
            <fieldset>
            <legend>\(choice.label)</legend>
            \(options)
            </fieldset>
            """
    }

    private func unfolding(_ choice: Screen.Choice, at index: Int) -> HTML {
        let isKnown = choice.options.contains { $0.id == form[choice.id] }
        let options = HTML(
            (isKnown ? [] : ["<option value=\"\" selected></option>"])
                + choice.options.map { option in
                    """
                    <option value="\(option.id)"\(" selected", if: option.id == form[choice.id])>\
                    \(option.title)</option>
                    """
                })
        return """
            <div class="field">
            <label for="i\(index)">\(choice.label)</label>
            <select id="i\(index)" name="\(Self.inputName(choice.id))" autocomplete="off">
            \(options)
            </select>
            </div>
            """
    }

    private func html(of list: Screen.List, at index: Int) -> HTML {
        guard !list.rows.isEmpty else {
            return "<p class=\"empty\">\(list.placeholder)</p>"
        }
        let rows = HTML(
            list.rows.enumerated().map { place, row in
                let color: HTML =
                    row.color.flatMap(PageColor.init).map { color in
                        "<span class=\"swatch \(color.className)\" aria-hidden=\"true\"></span>"
                    } ?? ""
                let detail: HTML = "<span class=\"detail\">\(row.detail)</span>"
                return """
                    <li><button type="submit" name="do" value="r\(index).\(place)">\(color)\
                    <span class="row"><span class="name">\(row.title)</span> \
                    \(detail, if: !row.detail.isEmpty)</span></button></li>
                    """
            })
        return """
            <ul class="rows">
            \(rows)
            </ul>
            """
    }
}

/// A colour that may stand in a style: `#` and six digits, nothing else.
struct PageColor: Hashable, Sendable {
    /// Six digits in lower case.
    let digits: String

    init?(_ text: String) {
        let digits = text.utf8.dropFirst()
        let isValid = digits.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
        }
        guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6, isValid else { return nil }
        self.digits = String(decoding: digits.map { $0 | 0x20 }, as: UTF8.self)
    }

    /// The name of the style's rule for the colour.
    var className: String { "c" + digits }
}
