// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
internal import EavesJSON
internal import EavesSystem

extension ManifestError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        problems.flatMap { problem in
            if case .system(let error) = problem.kind { return error.diagnostics }
            var place = Path.relative(path, to: Path.current)
            if let position = problem.position { place += ":\(position)" }
            if !problem.keys.isEmpty { place += ": \(problem.keys)" }
            let message = "\(place): \(problem.kind.message)"
            return [Diagnostic(message, fix: problem.kind.fix, code: problem.kind.code)]
        }
    }
}

extension ManifestProblem.Kind {
    fileprivate var message: String {
        switch self {
        case .missing: "no such manifest"
        case .notAFile(let kind): "expected a file, found a \(kind.rawValue)"
        case .system(let error): error.diagnostics.map(\.message).joined(separator: "; ")
        case .changedMeanwhile: "somebody else changed the manifest just now; it was left alone"
        case .syntax(let error): error.message
        case .missingVersion: "the key 'manifest' is missing"
        case .unsupportedVersion(let found): "expected 1, found \(found)"
        case .unknownKey(let name, let known):
            "unknown key \(name.quoted)" + NearMatch.suffix(for: name, among: known)
        case .wrongType(let expected, let found): "expected \(expected.words), found \(found)"
        case .empty: "expected some text, found ''"
        case .containsNUL: "a NUL character cannot stand here"
        case .invalidModuleID(let text): "\(text.quoted) is not a module id"
        case .invalidServiceName(let text): "\(text.quoted) is not the name of a service"
        case .invalidDigest(let text): "expected 64 hexadecimal digits, found \(text.quoted)"
        case .unknownIsolation(let text):
            "unknown isolation \(text.quoted)"
                + NearMatch.suffix(for: text, among: Isolation.allCases.map(\.rawValue))
        case .unknownSignatureRule(let text):
            "expected 'required', found \(text.quoted)"
        case .repeatedDirectory(let name): "the directory \(name.quoted) stands here twice"
        case .invalidCompiler(let text):
            "expected the series of a Swift compiler, such as '6.2', found \(text.quoted)"
        case .repeatedCompiler(let series): "the compiler \(series.quoted) stands here twice"
        }
    }

    fileprivate var fix: String? {
        switch self {
        case .missing: #"name another with '--manifest PATH', or write '{ "manifest": 1 }' there"#
        case .changedMeanwhile: "run the command again"
        case .syntax(let error): error.fix
        case .missingVersion: #"add '"manifest": 1'"#
        case .unsupportedVersion: #"write '"manifest": 1', or use a newer eaves"#
        case .unknownKey(_, let known):
            "remove it, or use one of " + known.map { "'\($0)'" }.joined(separator: ", ")
        case .invalidModuleID:
            "use at most 64 of a-z, 0-9, '.', '_' and '-', with a letter or digit first"
        case .invalidServiceName: "use the protocol's name, such as 'UserService'"
        case .invalidDigest: "write what 'sha256sum' prints for the library"
        case .unknownIsolation:
            "remove it, or use one of "
                + Isolation.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        case .unknownSignatureRule: "write 'required', or remove the key"
        case .repeatedDirectory, .repeatedCompiler: "remove one of the two"
        case .invalidCompiler: "write two numbers: the first two of what 'swiftc --version' prints"
        case .notAFile: "name a file with '--manifest PATH'"
        case .wrongType(let expected, _): "write \(expected.words)"
        case .empty: "write some text, or remove the key"
        case .containsNUL: "remove it"
        case .system: nil
        }
    }

    fileprivate var code: FailureCode {
        switch self {
        case .missing: .notFound
        case .changedMeanwhile: .inputOutput
        default: .badData
        }
    }
}

extension ManifestProblem.Shape {
    fileprivate var words: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .bool: "true or false"
        }
    }
}
