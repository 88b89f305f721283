// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesJSON

/// Takes the values of a declaration out of parsed JSON, and collects everything that is wrong with them.
///
/// A wrong value is replaced by a harmless one, so that parsing goes on; the caller throws at the end if
/// ``problems`` is not empty.
struct DeclarationParser {
    private(set) var problems: [DeclarationProblem] = []
    /// The problems in the order of the text. Of very many, the first ones and their number.
    var problemsInOrder: [DeclarationProblem] {
        let start = TextPosition(line: 1, column: 1)
        return problems.sorted { ($0.position ?? start) < ($1.position ?? start) }
            .abridged { DeclarationProblem(.further($0)) }
    }
    /// The lines of the text, for the positions of problems; `nil` for a note, which is one line.
    private let lines: TextLines?
    /// Whether the text is a note: unknown keys are ignored then, because a newer `eaves build` may have
    /// written them.
    let readsNote: Bool

    init(lines: TextLines?, readsNote: Bool) {
        self.lines = lines
        self.readsNote = readsNote
    }

    mutating func report(_ cause: DeclarationProblem.Cause, _ key: String, at offset: Int) {
        problems.append(
            DeclarationProblem(cause, key: key, position: lines?.position(of: offset)))
    }

    /// Checks that a value is an object, and that all of its keys are known.
    ///
    /// - Returns: Whether it is an object.
    mutating func checkKeys(of node: JSONNode, _ key: String, known: [String]) -> Bool {
        guard let members = node.members else {
            report(
                .wrongType(expected: "an object", found: node.kind), key, at: node.range.lowerBound)
            return false
        }
        guard !readsNote else { return true }
        for member in members where !known.contains(member.name) {
            report(
                .unknownKey(member.name, known: known), key, at: member.nameRange.lowerBound)
        }
        return true
    }

    /// Parses a text that must be there.
    mutating func text(_ name: String, of node: JSONNode, _ key: String, _ rule: NameRule) -> String
    {
        guard node[name] != nil else {
            report(.missingKey(name), key, at: node.range.lowerBound)
            return ""
        }
        return optionalText(name, of: node, key, rule) ?? ""
    }

    mutating func optionalText(
        _ name: String, of node: JSONNode, _ key: String, _ rule: NameRule
    ) -> String? {
        guard let value = node[name] else { return nil }
        return text(value, Self.join(key, name), rule)
    }

    mutating func text(_ value: JSONNode, _ key: String, _ rule: NameRule) -> String? {
        guard let text = value.string else {
            report(
                .wrongType(expected: "a string", found: value.kind), key,
                at: value.range.lowerBound)
            return nil
        }
        if !rule.allows(text) {
            report(.badName(text, rule), key, at: value.range.lowerBound)
        }
        return text
    }

    /// The elements of a list, with the keys that lead to each; empty if there is no list.
    mutating func elements(
        _ name: String, of node: JSONNode, _ key: String
    ) -> [(key: String, value: JSONNode)] {
        guard let value = node[name] else { return [] }
        let key = Self.join(key, name)
        guard let elements = value.elements else {
            report(
                .wrongType(expected: "an array", found: value.kind), key,
                at: value.range.lowerBound)
            return []
        }
        return elements.enumerated().map { ("\(key)[\($0.offset)]", $0.element) }
    }

    static func join(_ key: String, _ name: String) -> String {
        key.isEmpty ? name : "\(key).\(name)"
    }
}

extension ModuleDeclaration {
    /// Reads a `module.json`.
    ///
    /// - Parameter shownPath: The name of the file in messages.
    /// - Throws: ``DeclarationError`` with every problem.
    package static func load(
        _ path: String, shownAs shownPath: String? = nil
    ) throws(DeclarationError) -> ModuleDeclaration {
        try SourceDeclaration.load(path, shownAs: shownPath).declaration
    }

    /// Reads the text of a `module.json`.
    ///
    /// - Parameter path: The name of the file in messages.
    /// - Throws: ``DeclarationError`` with every problem.
    package init(_ bytes: [UInt8], path: String) throws(DeclarationError) {
        self = try SourceDeclaration(bytes, path: path).declaration
    }

    private static let keys =
        [
            "$schema", "id", "version", "summary", "layer", "owner", "interfaces", "provides",
            "requires", "features",
        ] + SourceDeclaration.keys

    /// Parses a declaration, and reports problems to `parser`.
    ///
    /// - Returns: `nil` if too much is missing for a declaration.
    init?(_ node: JSONNode, key: String, parser: inout DeclarationParser) {
        guard parser.checkKeys(of: node, key, known: Self.keys) else { return nil }
        parser.checkSchema(of: node, key)
        id = parser.text("id", of: node, key, .moduleID)
        version = parser.text("version", of: node, key, .version)
        summary = parser.optionalText("summary", of: node, key, .line) ?? ""
        let layer = parser.layer(of: node, key)
        provides = parser.provisions(of: node, key)
        requires = parser.services(of: node, key)
        features = parser.features(of: node, key)
        interfaces = parser.interfaces(of: node, key)
        guard let layer else { return nil }
        self.layer = layer
        owner = parser.owner(of: node, key, id, layer)
        guard layer == .interface else { return }
        if parser.readsNote { interface = parser.interfaceContent(of: node, key) }
        parser.checkInterface(self, of: node, key)
    }
}

extension DeclarationParser {
    /// The value means nothing here, but editors expect a text.
    fileprivate mutating func checkSchema(of node: JSONNode, _ key: String) {
        guard let value = node["$schema"], value.string == nil else { return }
        report(
            .wrongType(expected: "a string", found: value.kind), Self.join(key, "$schema"),
            at: value.range.lowerBound)
    }

    fileprivate mutating func layer(of node: JSONNode, _ key: String) -> Layer? {
        let text = text("layer", of: node, key, .line)
        guard let value = node["layer"], value.string != nil else { return nil }
        if let layer = Layer(rawValue: text) { return layer }
        report(.unknownLayer(text), Self.join(key, "layer"), at: value.range.lowerBound)
        return nil
    }

    fileprivate mutating func provisions(of node: JSONNode, _ key: String) -> [Provision] {
        var seen: Set<Provision> = []
        return elements("provides", of: node, key).compactMap { key, value in
            guard checkKeys(of: value, key, known: ["service", "name"]) else { return nil }
            let provision = Provision(
                service: text("service", of: value, key, .serviceName),
                name: optionalText("name", of: value, key, .name))
            if !seen.insert(provision).inserted {
                report(.repeated(provision.description), key, at: value.range.lowerBound)
            }
            return provision
        }
    }

    fileprivate mutating func services(of node: JSONNode, _ key: String) -> [String] {
        var seen: Set<String> = []
        return elements("requires", of: node, key).compactMap { key, value in
            guard let service = text(value, key, .serviceName) else { return nil }
            if !seen.insert(service).inserted {
                report(.repeated(service), key, at: value.range.lowerBound)
            }
            return service
        }
    }

    fileprivate mutating func features(of node: JSONNode, _ key: String) -> [FeatureDeclaration] {
        var seen: Set<String> = []
        return elements("features", of: node, key).compactMap { key, value in
            guard checkKeys(of: value, key, known: ["name", "summary"]) else { return nil }
            let feature = FeatureDeclaration(
                name: text("name", of: value, key, .featureName),
                summary: optionalText("summary", of: value, key, .line) ?? "")
            if !seen.insert(feature.name).inserted {
                report(.repeated(feature.name), key, at: value.range.lowerBound)
            }
            return feature
        }
    }
}
