// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesInterface

/// Turns errors into what people read, and into exit codes.
enum Messages {
    /// What an error says, one diagnostic a problem.
    static func diagnostics(of error: any Error) -> [Diagnostic] {
        switch error {
        case let error as any Diagnosable:
            error.diagnostics
        case let error as ConsoleError:
            [Diagnostic(error.description, code: .inputOutput)]
        case let error as UsageError:
            [Diagnostic(error.description, code: .usage)]
        case let error as ResolutionError:
            diagnostics(of: error)
        default:
            [Diagnostic("unexpected error: \(error)", code: .crashed)]
        }
    }

    /// The exit code of a command that ends with an error.
    static func exitCode(of error: any Error) -> Int32 {
        (diagnostics(of: error).first?.code ?? .crashed).rawValue
    }

    /// The two parts of a message, as they are printed.
    static func text(of diagnostic: Diagnostic, label: String, isColored: Bool) -> String {
        let color = label == "error" ? "31" : "33"
        let head = isColored ? "\u{1b}[1;\(color)m\(label):\u{1b}[0m" : "\(label):"
        let fixHead = isColored ? "\u{1b}[1;32mfix:\u{1b}[0m" : "fix:"
        return "\(head) \(diagnostic.message)" + (diagnostic.fix.map { "\n\(fixHead) \($0)" } ?? "")
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
            return [
                Diagnostic(
                    error.description, fix: "add a module that provides it, and see 'eaves list'",
                    code: .noProvider)
            ]
        default:
            return [Diagnostic(error.description, code: .crashed)]
        }
    }
}
