// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
public import EavesDiagnostics
public import EavesInterface
import EavesRules

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
    /// All problems, each once; never empty.
    public let problems: [Diagnostic]
    /// The error of a module's or the program's own code, if one is behind this: a feature threw it, or
    /// a factory did. `nil` if the host itself found the problem.
    public let cause: (any Error)?

    /// The end of the process in which the feature ran, or was to run; `nil` if that is not behind this.
    package let crash: RemoteCallError?

    /// The exit code of a command that ends with this error: that of the first problem.
    public var exitCode: ExitCode {
        ExitCode(UInt8(clamping: problems[0].code.rawValue))
    }

    package init(_ error: any Error) {
        if let error = error as? HostError {
            self = error
            return
        }
        var known: Set<Diagnostic> = []
        problems = Self.diagnostics(of: error).filter { known.insert($0).inserted }
        cause = Self.cause(of: error)
        crash = (error as? FeatureError)?.crash
    }

    /// Runs a step of the host, and replaces its error, whose type is not public, by this one.
    package static func wrapping<Result>(_ step: () throws -> Result) throws(HostError) -> Result {
        do {
            return try step()
        } catch {
            throw HostError(error)
        }
    }
}

extension HostError: CustomStringConvertible {
    /// All problems, each on lines of its own.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension HostError {
    /// The words for any error that running a feature or resolving a service can end with. Never empty.
    package static func diagnostics(of error: any Error) -> [Diagnostic] {
        switch error {
        case let error as HostError:
            error.problems
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

/// A feature failed with an error that it does not answer for.
package struct FeatureError: Error, Sendable {
    package let feature: String
    package let id: String
    /// The module's file, as people see it.
    package let path: String
    /// The error that the feature threw, or the reason why it could not be created.
    package let reason: any Error

    /// - Returns: `nil` for an error that says everything itself: about input, output, arguments, or a
    ///   service that could not be resolved.
    package init?(_ feature: String, of module: CatalogEntry, _ error: any Error) {
        switch error {
        case is ConsoleError, is UsageError, is any Diagnosable:
            return nil
        case let error as ResolutionError:
            guard case .factoryFailed(let reason) = error.reason,
                !(reason is ConsoleError || reason is UsageError)
            else { return nil }
            self.reason = Capability(error.wanted) == .feature(feature) ? reason : error
        default:
            reason = error
        }
        self.feature = feature
        id = module.id
        path = module.path
    }

    /// The end of the process that the feature's module has for itself; `nil` for another error. The process of another
    /// module does not end the feature.
    var crash: RemoteCallError? {
        guard let error = reason as? RemoteCallError, error.module == id else { return nil }
        switch error.reason {
        case .killed, .exited, .ended, .misunderstood, .resting: return error
        default: return nil
        }
    }
}

extension FeatureError: Diagnosable {
    package var diagnostic: Diagnostic {
        Diagnostic("feature '\(feature)' failed: \("\(reason)".indented)", code: .crashed)
            .naming(id, path)
    }
}
