// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One page of Markdown with every public declaration of a module, and its comment.
struct APIPage {
    private let graph: SymbolGraph

    init(_ graph: SymbolGraph) {
        self.graph = graph
    }

    /// The page.
    var text: String {
        var lines = [
            "# The API of \(graph.module)", "",
            "`.ci/api update` writes this page from the comments in the sources of `\(graph.module)`.",
            "Edit those.", "",
        ]
        for (title, kinds) in Self.chapters {
            let roots = graph.roots.filter { kinds.contains($0.kind) }
            if roots.isEmpty { continue }
            lines += ["## \(title)", "", "| name | purpose |", "| --- | --- |"]
            lines += roots.map { root in
                "| [`\(root.name)`](#\(Self.anchor(of: root))) | \(Self.inline(root.summary)) |"
            }
            lines.append("")
        }
        for (_, kinds) in Self.chapters {
            for root in graph.roots where kinds.contains(root.kind) { lines += section(root) }
        }
        return lines.joined(separator: "\n")
    }

    private static let chapters = [
        ("Protocols", ["swift.protocol"]),
        ("Types", ["swift.struct", "swift.enum", "swift.class", "swift.actor", "swift.typealias"]),
        ("Functions", ["swift.func", "swift.func.op", "swift.var", "swift.macro"]),
    ]

    private static let types: Set = ["swift.struct", "swift.enum", "swift.class", "swift.actor"]

    // MARK: Sections

    private func section(_ root: Symbol) -> [String] {
        var lines = ["## `\(root.name)`", ""]
        lines += Self.code(declaration(of: root)) + Self.comment(root)
        lines += group("Cases", root) { $0.kind == "swift.enum.case" }
        lines += group("Requirements", root) { graph.isRequirement($0) }
        lines += group("Members", root) {
            $0.kind != "swift.enum.case" && !graph.isRequirement($0)
                && !Self.types.contains($0.kind)
        }
        for type in graph.members(of: root) where Self.types.contains(type.kind) {
            lines += section(type)
        }
        return lines
    }

    private func group(
        _ title: String, _ root: Symbol, where isMeant: (Symbol) -> Bool
    ) -> [String] {
        let members = graph.members(of: root).filter(isMeant)
        guard !members.isEmpty else { return [] }
        return ["**\(title)**", ""] + members.flatMap { member($0, of: root) }
    }

    private func member(_ symbol: Symbol, of root: Symbol) -> [String] {
        var declaration = symbol.declaration
        let constraints = symbol.constraints.filter { !root.declaration.contains($0) }
        if !constraints.isEmpty {
            declaration += declaration.contains(" where ") ? ", " : " where "
            declaration += constraints.joined(separator: ", ")
        }
        var lines = Self.code(declaration) + Self.comment(symbol)
        if let standard = graph.standard(of: symbol), !standard.summary.isEmpty {
            lines += [Self.inline(standard.summary), ""]
        }
        return lines
    }

    /// The declaration with the protocols that a type conforms to.
    private func declaration(of symbol: Symbol) -> String {
        let protocols = graph.protocols(of: symbol)
        // The declaration of a protocol has them already.
        guard !protocols.isEmpty, symbol.kind != "swift.protocol" else {
            return symbol.declaration
        }
        let parts = symbol.declaration.components(separatedBy: " where ")
        let head = parts[0] + " : " + protocols.joined(separator: ", ")
        return ([head] + parts.dropFirst()).joined(separator: " where ")
    }

    // MARK: Markdown

    private static func anchor(of symbol: Symbol) -> String {
        String(
            symbol.name.lowercased().replacingOccurrences(of: " ", with: "-")
                .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    }

    private static func comment(_ symbol: Symbol) -> [String] {
        var isCode = false
        let lines = symbol.comment.map { line in
            if line.hasPrefix("```") { isCode.toggle() }
            return isCode ? line : inline(line)
        }
        return lines.isEmpty ? [] : lines + [""]
    }

    /// A line of a comment, with the names that it links in the form of code.
    private static func inline(_ line: String) -> String {
        let parts = line.components(separatedBy: "``")
        guard parts.count > 2 else { return line }
        return parts.enumerated().map { index, part in
            index % 2 == 1 ? "`" + part.replacingOccurrences(of: "/", with: ".") + "`" : part
        }.joined()
    }

    private static func code(_ declaration: String) -> [String] {
        ["```swift", wrapped(declaration), "```", ""]
    }

    /// A declaration, with each parameter on a line of its own if it is long.
    private static func wrapped(_ declaration: String) -> String {
        guard declaration.count > 96, let start = declaration.firstIndex(of: "(") else {
            return declaration
        }
        var text = String(declaration[...start]) + "\n    "
        var depth = 0
        var rest = declaration[declaration.index(after: start)...]
        while let character = rest.popFirst() {
            switch character {
            case "(", "[", "<": depth += 1
            case ")" where depth == 0:
                return text + "\n)" + rest
            // The arrow of a function's type closes nothing.
            case ">" where text.last == "-": break
            case ")", "]", ">": depth -= 1
            default: break
            }
            if character == ",", depth == 0 {
                text += ",\n   "
            } else {
                text.append(character)
            }
        }
        return declaration
    }
}
