// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// One message for a person: what failed and where, how to correct it, and the exit code.
public struct Diagnostic: Error, Hashable, Codable, Sendable {
    /// The failure, with the module and the path, and what was expected and found, without a full stop and a prefix.
    public package(set) var message: String
    /// The advice, as an imperative; `nil` if there is none in general.
    public package(set) var fix: String?
    /// The exit code of a command that ends because of this problem.
    package var code: FailureCode

    /// - Parameter message: The failure; it names commands as in `'eaves build'`; see ``CommandName``. So does `fix`.
    package init(_ message: String, fix: String? = nil, code: FailureCode) {
        self.message = CommandName.current.applied(to: message)
        self.fix = fix.map { CommandName.current.applied(to: $0) }
        self.code = code
    }
}

extension Diagnostic: CustomStringConvertible {
    /// The message and, on a second line, the fix.
    public var description: String {
        fix.map { "\(message)\nfix: \($0)" } ?? message
    }
}

/// An error that can describe itself in messages.
///
/// Stages throw data. The words for it stand in the file of the error, below its cases.
///
/// Errors reach modules and tests, too, which print them as they are. So each describes itself by its
/// diagnostics, and none shows its data.
package protocol Diagnosable: Error, CustomStringConvertible {
    /// The problem; the first one of an error that holds several.
    var diagnostic: Diagnostic { get }
    /// One diagnostic for each problem, in a stable order; the default has only ``diagnostic``.
    var diagnostics: [Diagnostic] { get }
}

/// An error that holds several problems, at least one.
package protocol DiagnosableList: Diagnosable {}

extension Diagnosable {
    package var diagnostics: [Diagnostic] { [diagnostic] }

    package var description: String {
        diagnostics.map(\.description).joined(separator: "\n")
    }
}

extension DiagnosableList {
    package var diagnostic: Diagnostic { diagnostics[0] }
}

extension Diagnostic: Diagnosable {
    package var diagnostic: Diagnostic { self }
}

/// The exit codes by which the command tells what went wrong. The numbers are those of `sysexits.h`.
///
/// They are a contract: scripts rely on them.
package enum FailureCode: Int32, Codable, Sendable {
    /// The command line is wrong.
    case usage = 64
    /// A module's or the manifest's data is wrong.
    case badData = 65
    /// A file, feature, module or service does not exist.
    case notFound = 66
    /// A needed service has no provider.
    case noProvider = 69
    /// A feature failed without choosing an exit code.
    case crashed = 70
    /// An output cannot be created.
    case cannotCreate = 73
    /// Reading or writing failed.
    case inputOutput = 74
    /// Something is not done yet, and may be later (`EX_TEMPFAIL`).
    case temporary = 75
    /// The C ABI, the interface or the compiler is incompatible.
    case incompatible = 76
    /// A digest, a signature or a permission is wrong.
    case untrusted = 77
    /// The configuration contradicts itself: a cycle, an ambiguous binding.
    case configuration = 78
}
