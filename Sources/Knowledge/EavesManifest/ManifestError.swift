// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesJSON
package import EavesSystem
package import EavesTrust

/// Reports everything that is wrong with a manifest.
package struct ManifestError: Error, Hashable, Sendable {
    /// The file, as the caller named it.
    package var path: String
    /// The problems, in the order of the file. Never empty.
    package var problems: [ManifestProblem]

    package init(_ path: String, _ problems: [ManifestProblem]) {
        self.path = path
        self.problems = problems
    }
}

/// One thing that is wrong with a manifest, and its place.
package struct ManifestProblem: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case missing
        case notAFile(FileStatus.Kind)
        case system(SystemError)
        /// Others can change the manifest.
        case untrusted(ConsentError)
        /// The file has changed since an edit began.
        case changedMeanwhile
        /// Another process held the lock of this folder all the time that an edit waited.
        case locked(folder: String, by: LockHolder?, after: Duration)
        case syntax(JSONSyntaxError)
        /// So many problems more than are named.
        case further(Int)
        case missingVersion
        case unsupportedVersion(found: String)
        case unknownKey(String, known: [String])
        /// - Parameters:
        ///   - expected: The type that the value must have, in words.
        ///   - found: The kind of value in words, as ``JSONNode/kind`` returns it.
        case wrongType(expected: String, found: String)
        case empty
        /// A path or name with a NUL character, at which the system would cut it.
        case containsNUL
        case invalidModuleID(String)
        case invalidIDPattern(String)
        case invalidServiceName(String)
        case invalidDigest(String)
        case invalidVersion(String)
        case unknownIsolation(String)
        case invalidDuration(String)
        case invalidSize(String)
        case invalidEndpoint(String)
        case invalidVariable(String)
        case unknownSignatureRule(String)
        case repeatedDirectory(String)
        case invalidCompiler(String)
        case repeatedCompiler(String)
        case invalidWeight(found: String)
        case invalidChoiceKey(found: String)
        /// Modules share a binding, and none of them can be chosen.
        case noWeight
        /// - Parameters:
        ///   - expected: The numbers that are allowed, in words.
        ///   - found: The value as written.
        case invalidLimit(expected: String, found: String)
    }

    package var kind: Kind
    /// The place in the file; `nil` if it would mislead, as in a text that was not saved.
    package var position: TextPosition?
    /// The path of keys that leads there, such as `modules.users`; empty for the whole text.
    package var keys: String

    package init(_ kind: Kind, at position: TextPosition? = nil, keys: String = "") {
        self.kind = kind
        self.position = position
        self.keys = keys
    }
}

extension ManifestError: DiagnosableList {
    package var diagnostics: [Diagnostic] {
        problems.flatMap { problem in
            switch problem.kind {
            case .system(let error): return error.diagnostics
            case .untrusted(let error): return error.diagnostics
            default: break
            }
            let place = ManifestPlace(path: path, position: problem.position, keys: problem.keys)
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
        // `diagnostics` above has the words of these.
        case .system, .untrusted: ""
        case .changedMeanwhile:
            "the manifest has changed since it was read, so it was not overwritten"
        case .locked(let folder, let holder, let limit):
            "cannot edit the manifest: \(holder?.words ?? "another process") has locked "
                + "\(folder.quoted) for longer than \(limit.components.seconds) seconds; "
                + "nothing was changed"
        case .syntax(let error): error.message
        case .further(let count): "and \(count) more problem\(count == 1 ? "" : "s")"
        case .missingVersion: "the key 'manifest' is missing"
        case .unsupportedVersion(let found): "expected 1, found \(found)"
        case .unknownKey(let name, let known):
            "unknown key \(name.quoted)" + NearMatch.suffix(for: name, among: known)
        case .wrongType(let expected, let found): "expected \(expected), found \(found)"
        case .empty: "expected a text, found ''"
        case .containsNUL: "a NUL character is not allowed here"
        case .invalidModuleID(let text): "\(text.quoted) is not a module id"
        case .invalidIDPattern(let text):
            "expected a module id, or a pattern of ids such as 'users-*', found \(text.quoted)"
        case .invalidServiceName(let text): "\(text.quoted) is not the name of a service"
        case .invalidDigest(let text): "expected 64 hexadecimal digits, found \(text.quoted)"
        case .invalidVersion(let text):
            "expected a version such as 1.0.0, found \(text.quoted)"
        case .unknownIsolation(let text):
            "unknown isolation \(text.quoted)"
                + NearMatch.suffix(for: text, among: [ManifestKey.process])
        case .invalidDuration(let text): "expected a time, found \(text.quoted)"
        case .invalidSize(let text): "expected an amount of memory, found \(text.quoted)"
        case .invalidEndpoint(let text): "expected an address and a port, found \(text.quoted)"
        case .invalidVariable(let text): "expected the name of a variable, found \(text.quoted)"
        case .unknownSignatureRule(let text):
            "expected 'required', found \(text.quoted)"
        case .repeatedDirectory(let name): "the directory \(name.quoted) is listed twice"
        case .invalidCompiler(let text):
            "expected the series of a Swift compiler, such as '6.2', found \(text.quoted)"
        case .repeatedCompiler(let series): "the compiler \(series.quoted) is listed twice"
        case .invalidWeight(let found):
            "expected a weight, a whole number from 0 to \(Weights.limit), found \(found)"
        case .invalidChoiceKey(let found):
            "expected the name of the key that decides, such as \"user\", found \(found)"
        case .noWeight: "expected a module with a weight above 0, found none"
        case .invalidLimit(let expected, let found): "expected \(expected), found \(found)"
        }
    }

    fileprivate var fix: String? {
        switch self {
        case .missing:
            #"name a manifest with '--manifest PATH', or write '{ "manifest": 1 }' to this file"#
        case .changedMeanwhile: "run the command again"
        case .locked(_, let holder, _):
            "wait until \(holder.map { "process \($0.process)" } ?? "it") has ended, or end it, "
                + "and run the command again"
        case .syntax(let error): error.fix
        case .further: "correct those above first"
        case .missingVersion: #"add '"manifest": 1'"#
        case .unsupportedVersion: #"write '"manifest": 1', or use a newer version of eaves"#
        case .unknownKey(_, let known):
            "remove it, or use one of " + known.map { "'\($0)'" }.joined(separator: ", ")
        case .invalidModuleID:
            "use at most 64 characters of a-z, 0-9, '.', '_' and '-', a letter or digit first"
        case .invalidIDPattern:
            "use at most 64 characters of a-z, 0-9, '.', '_', '-' and '*', which stands for any text"
        case .invalidServiceName:
            "use the protocol's name, such as 'UserService', or 'UserService#NAME' for a named "
                + "implementation"
        case .invalidWeight:
            "write such a number, as in { \"users-v2\": 10, \"users-memory\": 90 }"
        case .invalidChoiceKey:
            "write at most 64 letters, digits, '.', '_' and '-' in quotes; a module with the id 'by' "
                + "can be bound alone, and have no weight"
        case .noWeight: "give a module a weight, or write the id of one module instead"
        case .invalidLimit: "write such a value, or remove the key to use the default"
        case .invalidDigest: "write what 'sha256sum' prints for the library"
        case .invalidVersion:
            "use at most 64 letters, digits, '.', '+' and '-', a letter or digit first"
        case .unknownIsolation, .wrongType("'process'", _): #"write '"isolation": "process"'"#
        case .invalidDuration: "write a number and 'ms', 's' or 'min', as in '5s'"
        case .invalidSize: "write a number and 'KB', 'MB' or 'GB', as in '256MB'"
        case .invalidEndpoint:
            "write them as in '127.0.0.1:8080', '[::1]:8080', 'localhost:8080' or '*:443'"
        case .invalidVariable: "write the name alone: the module gets the host's value"
        case .unknownSignatureRule: "write 'required', or remove the key"
        case .repeatedDirectory, .repeatedCompiler: "remove one of the two"
        case .invalidCompiler:
            "write the first two numbers of the version that 'swiftc --version' prints"
        case .notAFile: "name a file with '--manifest PATH'"
        case .wrongType(let expected, _): "write \(expected)"
        case .empty: "write a text, or remove the key"
        case .containsNUL: "remove it"
        case .system, .untrusted: nil
        }
    }

    fileprivate var code: FailureCode {
        switch self {
        case .missing: .notFound
        case .changedMeanwhile, .locked: .inputOutput
        case .untrusted: .untrusted
        default: .badData
        }
    }
}

/// A place in the manifest, for messages.
package struct ManifestPlace: Hashable, Sendable, CustomStringConvertible {
    package var path: String
    package var position: TextPosition?
    package var keys: String

    package init(path: String, position: TextPosition? = nil, keys: String) {
        self.path = path
        self.position = position
        self.keys = keys
    }

    /// `manifest.json:7:5: modules.users`, as seen from the working directory.
    package var description: String {
        Path.relative(path, to: Path.current) + (position.map { ":\($0)" } ?? "")
            + (keys.isEmpty ? "" : ": \(keys)")
    }
}

extension Manifest {
    package func place(of entry: ModuleEntry) -> ManifestPlace {
        ManifestPlace(path: path, position: entry.position, keys: "modules.\(entry.id)")
    }

    package func place(of binding: Binding) -> ManifestPlace {
        ManifestPlace(path: path, position: binding.position, keys: "bindings.\(binding.key.text)")
    }

    package func place(ofDirectory index: Int) -> ManifestPlace {
        ManifestPlace(path: path, keys: "directories[\(index)]")
    }
}
