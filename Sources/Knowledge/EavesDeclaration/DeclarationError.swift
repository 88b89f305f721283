// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesJSON
package import EavesSystem

/// A `module.json` cannot be used. Lists every problem, not only the first.
package struct DeclarationError: Error, Hashable, Sendable {
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
}

extension DeclarationError: DiagnosableList {
    package var diagnostics: [Diagnostic] {
        problems.map { problem in
            let place = problem.position.map { "\(path):\($0)" } ?? path
            return Diagnostic(
                "\(place): \(problem.message)", fix: problem.fix, code: problem.code)
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
}

extension DeclarationProblem {
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

    package var code: FailureCode {
        switch cause {
        case .unreadable(let error): error.diagnostic.code
        default: .badData
        }
    }

    private static var layers: String {
        let names = Layer.allCases.map { "'\($0.rawValue)'" }
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }
}
