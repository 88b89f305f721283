// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesJSON
package import EavesSystem

/// Takes the values of a declaration out of parsed JSON, and collects everything that is wrong with them.
///
/// A wrong value is replaced by a harmless one, so that parsing goes on; the caller throws at the end if
/// ``problems`` is not empty.
struct DeclarationParser {
    private(set) var problems: [DeclarationProblem] = []
    /// The problems in the order of the text. Of very many, the first ones and their number.
    var problemsInOrder: [DeclarationProblem] {
        problems.sorted { ($0.position ?? .start) < ($1.position ?? .start) }
            .abridged { DeclarationProblem(.further($0)) }
    }
    /// The lines of the text, for the positions of problems; `nil` for a note, which is one line.
    let lines: TextLines?
    /// Whether the text is a note: unknown keys are ignored then, because a newer `eaves build` may have written them.
    let readsNote: Bool

    mutating func report(_ cause: DeclarationProblem.Cause, _ key: String, at offset: Int) {
        problems.append(
            DeclarationProblem(cause, key: key, position: lines?.position(of: offset)))
    }

    mutating func report(_ cause: DeclarationProblem.Cause, _ key: String, at node: JSONNode) {
        report(cause, key, at: node.range.lowerBound)
    }

    mutating func report(expected: String, _ key: String, at node: JSONNode) {
        report(.wrongType(expected: expected, found: node.kind), key, at: node)
    }

    /// Checks that a value is an object, and that all of its keys are known.
    ///
    /// - Returns: Whether it is an object.
    mutating func checkKeys(of node: JSONNode, _ key: String, known: [String]) -> Bool {
        guard let members = node.members else {
            report(expected: "an object", key, at: node)
            return false
        }
        guard !readsNote else { return true }
        for member in members where !known.contains(member.name) {
            report(
                .unknownKey(member.name, known: known), key, at: member.nameRange.lowerBound)
        }
        return true
    }

    mutating func text(_ name: String, of node: JSONNode, _ key: String, _ rule: NameRule) -> String
    {
        guard node[name] != nil else {
            report(.missingKey(name), key, at: node)
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
            report(expected: "a string", key, at: value)
            return nil
        }
        if !rule.allows(text) { report(.badName(text, rule), key, at: value) }
        return text
    }

    /// The elements of a list, with the keys that lead to each; empty if there is no list.
    mutating func elements(
        _ name: String, of node: JSONNode, _ key: String
    ) -> [(key: String, value: JSONNode)] {
        guard let value = node[name] else { return [] }
        let key = Self.join(key, name)
        guard let elements = value.elements else {
            report(expected: "an array", key, at: value)
            return []
        }
        return elements.enumerated().map { ("\(key)[\($0.offset)]", $0.element) }
    }

    /// The values of a list, each of which may stand there once.
    ///
    /// - Parameters:
    ///   - word: The text that tells a value from the others.
    ///   - parse: A function that returns the value of an element; `nil` if it has none.
    mutating func distinct<Value>(
        _ name: String, of node: JSONNode, _ key: String, by word: (Value) -> String,
        _ parse: (inout DeclarationParser, JSONNode, String) -> Value?
    ) -> [Value] {
        var seen: Set<String> = []
        var values: [Value] = []
        for (key, element) in elements(name, of: node, key) {
            guard let value = parse(&self, element, key) else { continue }
            if !seen.insert(word(value)).inserted {
                report(.repeated(word(value)), key, at: element)
            }
            values.append(value)
        }
        return values
    }

    /// The names in a list, each of which may stand there once.
    mutating func names(
        _ name: String, of node: JSONNode, _ key: String, _ rule: NameRule
    ) -> [String] {
        distinct(name, of: node, key, by: \.self) { $0.text($1, $2, rule) }
    }

    static func join(_ key: String, _ name: String) -> String {
        key.isEmpty ? name : "\(key).\(name)"
    }
}

extension ModuleDeclaration {
    /// Reads a `module.json`.
    ///
    /// - Throws: ``DeclarationError`` with every problem.
    package static func load(
        _ path: String, shownAs shownPath: String? = nil
    ) throws(DeclarationError) -> ModuleDeclaration {
        try SourceDeclaration.load(path, shownAs: shownPath).declaration
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
        requires = parser.names("requires", of: node, key, .serviceName)
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
        report(expected: "a string", Self.join(key, "$schema"), at: value)
    }

    fileprivate mutating func layer(of node: JSONNode, _ key: String) -> Layer? {
        let text = text("layer", of: node, key, .line)
        guard let value = node["layer"], value.string != nil else { return nil }
        if let layer = Layer(rawValue: text) { return layer }
        report(.unknownLayer(text), Self.join(key, "layer"), at: value)
        return nil
    }

    fileprivate mutating func provisions(of node: JSONNode, _ key: String) -> [Provision] {
        distinct("provides", of: node, key, by: \.description) { parser, value, key in
            guard parser.checkKeys(of: value, key, known: ["service", "name"]) else { return nil }
            return Provision(
                service: parser.text("service", of: value, key, .serviceName),
                name: parser.optionalText("name", of: value, key, .name))
        }
    }

    fileprivate mutating func features(of node: JSONNode, _ key: String) -> [FeatureDeclaration] {
        distinct("features", of: node, key, by: \.name) { parser, value, key in
            guard parser.checkKeys(of: value, key, known: ["name", "summary"]) else { return nil }
            return FeatureDeclaration(
                name: parser.text("name", of: value, key, .featureName),
                summary: parser.optionalText("summary", of: value, key, .line) ?? "")
        }
    }
}

/// A `module.json` cannot be used. Lists every problem, not only the first.
package struct DeclarationError: Error, Hashable, Sendable, DiagnosableList {
    /// The file as a person would name it.
    package var path: String
    /// The module's id, if the file has a valid one.
    package var id: String?
    /// In the order of the file. Never empty.
    package var problems: [DeclarationProblem]

    package init(path: String, id: String? = nil, problems: [DeclarationProblem]) {
        self.path = path
        self.id = id
        self.problems = problems
    }

    package var diagnostics: [Diagnostic] {
        problems.map { problem in
            let place = problem.position.map { "\(path):\($0)" } ?? path
            var code = FailureCode.badData
            if case .unreadable(let error) = problem.cause { code = error.diagnostic.code }
            return Diagnostic("\(place): \(problem.message)", fix: problem.fix, code: code)
        }
    }
}

/// One mistake in a `module.json` or in a note.
package struct DeclarationProblem: Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        case unreadable(SystemError)
        case syntax(JSONSyntaxError)
        case further(Int)
        case unknownKey(String, known: [String])
        case missingKey(String)
        case wrongType(expected: String, found: String)
        case badName(String, NameRule)
        case unknownLayer(String)
        case badInterface(String)
        /// The version of an interface module does not begin with two numbers.
        case badInterfaceModule(version: String)
        case notOfInterface
        /// A key that only an interface module can have.
        case onlyOfInterface
        case ownerOfNoInterface
        case ownsItself
        case repeated(String)
        /// The note holds the module's id twice, and the two differ.
        case nameDiffers(name: String, id: String)
    }

    package var cause: Cause
    /// The keys that lead to the value, such as `provides[0].service`; empty for the whole text.
    package var key: String
    /// The position in the text; `nil` in a note, which is one line that is not edited by hand.
    package var position: TextPosition?

    package init(_ cause: Cause, key: String = "", position: TextPosition? = nil) {
        self.cause = cause
        self.key = key
        self.position = position
    }

    /// The key and the mistake, such as `provides[0]: unknown key 'servise', did you mean …?`.
    package var message: String {
        key.isEmpty ? what : "\(key): \(what)"
    }

    private var what: String {
        switch cause {
        case .unreadable(let error):
            "cannot \(error.action.rawValue) it: \(error.errno)"
        case .syntax(let error):
            error.message
        case .further(let count):
            "and \(count) more problem\(count == 1 ? "" : "s")"
        case .unknownKey(let name, let known):
            "unknown key \(name.quoted)"
                + NearMatch.suffix(for: name, among: known)
        case .missingKey(let name):
            "the key '\(name)' is missing"
        case .wrongType(let expected, let found):
            "expected \(expected), found \(found)"
        case .badName(let text, let rule):
            "expected \(rule.words), found \(text.quoted)"
        case .unknownLayer(let text):
            "expected \(Self.layers), found \(text.quoted)"
        case .badInterface(let text):
            "expected an interface version such as 1.0, found \(text.quoted)"
        case .badInterfaceModule(let version):
            "expected two numbers at its beginning, as in 1.0, because its layer is 'interface'; "
                + "found \(version.quoted)"
        case .notOfInterface:
            "a module of the layer 'interface' has protocols alone: it provides and requires nothing"
        case .onlyOfInterface:
            "only a module of the layer 'interface' can name its Swift module"
        case .ownerOfNoInterface:
            "only a module of the layer 'interface' can have an owner: the module whose interface it is"
        case .ownsItself:
            "expected the id of the module whose interface this is, found its own"
        case .repeated(let text):
            "\(text.quoted) is named twice"
        case .nameDiffers(let name, let id):
            "the note's 'name' is \(name.quoted), its 'id' is \(id.quoted)"
        }
    }

    /// How to mend the mistake in `module.json`.
    package var fix: String? {
        switch cause {
        case .unreadable(let error):
            switch error.errno {
            case .permissionDenied: "check the file's owner and permissions"
            case .nameIsNotText: "give its folder a name in UTF-8"
            default: nil
            }
        case .syntax(let error):
            error.fix
        case .further: "correct those above first"
        case .unknownKey(let name, let known):
            NearMatch.suggestions(for: name, among: known).first
                .map { "write '\($0)'" } ?? "remove it; known are \(known.joined(separator: ", "))"
        case .missingKey(let name): "add '\(name)'"
        case .wrongType(let expected, _): "write \(expected)"
        case .badName(_, let rule): "write \(rule.words)"
        case .unknownLayer: "write \(Self.layers)"
        case .badInterface: "build it again with 'eaves build'"
        case .badInterfaceModule: "write a version such as 1.0"
        case .notOfInterface:
            "remove it, and let another module provide what is in the interface"
        case .onlyOfInterface, .ownerOfNoInterface: "remove it, or make its layer 'interface'"
        case .ownsItself:
            "write the id of the module that the interface belongs to, or remove it if several share it"
        case .repeated: "remove one of the two"
        case .nameDiffers: "build it again with 'eaves build'"
        }
    }

    private static var layers: String {
        let names = Layer.allCases.map { "'\($0.rawValue)'" }
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }
}
