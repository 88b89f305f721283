// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDiagnostics
public import EavesInterface
import EavesRegistry

/// The error of a host, with everything that a person needs to know.
///
/// A program shows ``problems``, or ends with ``exitCode``, as `eaves` does:
///
/// ```swift
/// do {
///     _ = try await host.launch("weather")
/// } catch {
///     print(error)
///     exit(Int32(error.exitCode.rawValue))
/// }
/// ```
public struct HostError: Error, Sendable {
    /// One thing that is wrong.
    public struct Problem: Hashable, Sendable {
        package let diagnostic: Diagnostic
        /// The kind of mistake that a validation found; `nil` elsewhere.
        public let kind: Kind?

        /// The failure, with the module and the path, and what was expected and found.
        public var message: String { diagnostic.message }
        /// The advice, as an imperative; `nil` if there is none in general.
        public var fix: String? { diagnostic.fix }
        /// The exit code of a command that ends because of this. The numbers are those of `sysexits.h`,
        /// and `Documentation/Commands.md` lists them.
        public var exitCode: ExitCode { ExitCode(UInt8(clamping: diagnostic.code.rawValue)) }

        /// The module and the interface that it lacks, if a validation found that.
        package let lack: Lack?

        package init(_ diagnostic: Diagnostic, kind: Kind? = nil, lack: Lack? = nil) {
            self.diagnostic = diagnostic
            self.kind = kind
            self.lack = lack
        }
    }

    /// A module, and the reason why it cannot have an interface.
    package struct Lack: Hashable, Sendable {
        package let module: CatalogEntry
        package let problem: InterfaceProblem

        package init(module: CatalogEntry, problem: InterfaceProblem) {
            self.module = module
            self.problem = problem
        }
    }

    /// All problems, each once; never empty.
    public let problems: [Problem]
    /// The error of a module's or the program's own code, if one is behind this: a feature threw it, or
    /// a factory did. `nil` if the host itself found the problem.
    public let cause: (any Error)?

    /// The end of the process in which the feature ran, or was to run; `nil` if that is not behind this.
    package let crash: RemoteCallError?

    /// The exit code of a command that ends with this error: that of the first problem.
    public var exitCode: ExitCode { problems[0].exitCode }

    /// The error for whatever a room of the host throws.
    package init(_ error: any Error) {
        if let error = error as? HostError {
            self = error
            return
        }
        var known: Set<Diagnostic> = []
        problems = Self.diagnostics(of: error).filter { known.insert($0).inserted }
            .map { Problem($0) }
        cause = Self.cause(of: error)
        crash = (error as? FeatureError)?.crash
    }

    /// Runs a step of the host, and replaces its error, whose type is not public, by this one.
    package static func wrapping<Result>(
        _ step: () throws -> Result
    ) throws(HostError) -> Result {
        do {
            return try step()
        } catch {
            throw HostError(error)
        }
    }
}

extension HostError.Problem {
    /// A kind of mistake, as `eaves validate --json` names it. Later versions may add kinds.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The word in JSON, such as `missing`.
        public let rawValue: String

        /// Creates a kind from its word.
        ///
        /// - Parameter rawValue: The word in JSON.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Something is wrong with the manifest itself.
        public static let manifest = Kind(rawValue: "manifest")
        /// A module that is switched on cannot be used.
        public static let module = Kind(rawValue: "module")
        /// Nothing provides a service or a feature.
        public static let missing = Kind(rawValue: "missing")
        /// Several modules provide a service, and the manifest does not choose.
        public static let ambiguous = Kind(rawValue: "ambiguous")
        /// The manifest binds a service to a module that cannot provide it.
        public static let binding = Kind(rawValue: "binding")
        /// Modules or services need each other in a circle.
        public static let cycle = Kind(rawValue: "cycle")
        /// A module cannot be loaded.
        public static let load = Kind(rawValue: "load")
        /// A service that is kept holds one that lives shorter.
        public static let captive = Kind(rawValue: "captive")
    }
}

extension HostError.Problem: CustomStringConvertible {
    /// The message and, on a second line, the fix.
    public var description: String { diagnostic.description }
}

extension HostError: CustomStringConvertible {
    /// All problems, each on lines of its own.
    public var description: String { problems.map(\.description).joined(separator: "\n") }

    package var diagnostics: [Diagnostic] { problems.map(\.diagnostic) }
}

extension HostError {
    /// The words for any error that running a feature or resolving a service can end with. Never empty.
    package static func diagnostics(of error: any Error) -> [Diagnostic] {
        switch error {
        case let error as HostError:
            error.diagnostics
        case let error as any Diagnosable:
            error.diagnostics
        case let error as ConsoleError:
            [Diagnostic(error.description, code: .inputOutput)]
        case let error as UsageError:
            [Diagnostic(error.description.indented, fix: error.fix, code: .usage)]
        case let error as ResolutionError:
            diagnostics(of: error)
        default:
            [Diagnostic("unexpected error: \("\(error)".indented)", code: .crashed)]
        }
    }

    private static func diagnostics(of error: ResolutionError) -> [Diagnostic] {
        switch error.reason {
        case .moduleFailed(let reason):
            return diagnostics(of: reason)
        case .factoryFailed(let reason) where reason is UsageError || reason is ConsoleError:
            return diagnostics(of: reason)
        case .cycle:
            return [
                Diagnostic(
                    error.description, fix: "break the circle: let one of them resolve later",
                    code: .configuration)
            ]
        case .notRegistered:
            // The host's own words say more: which module is switched off, or what a name resembles.
            if let cause = error.cause { return diagnostics(of: cause) }
            return [
                Diagnostic(
                    error.description, fix: "add a module that provides it, and see 'eaves list'",
                    code: .noProvider)
            ]
        default:
            return [Diagnostic(error.description, code: .crashed)]
        }
    }

    private static func cause(of error: any Error) -> (any Error)? {
        switch error {
        case let error as FeatureError: error.reason
        case let error as ResolutionError:
            if case .factoryFailed(let reason) = error.reason { reason } else { error }
        case is any Diagnosable: nil
        default: error
        }
    }
}
