// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesHost
package import EavesInterface

package enum Messages {
    enum Label: String {
        case error, warning

        fileprivate var color: String {
            switch self {
            case .error: "31"
            case .warning: "33"
            }
        }
    }

    /// The problems that an error lists. Never empty.
    static func diagnostics(of error: any Error) -> [Diagnostic] {
        HostError.diagnostics(of: error)
    }

    /// The error of input or output that a command ends with, also one that came through a factory;
    /// `nil` if it ends with another error.
    package static func consoleError(in error: any Error) -> ConsoleError? {
        if let error = error as? ConsoleError { return error }
        if let cause = (error as? HostError)?.cause { return consoleError(in: cause) }
        guard case .factoryFailed(let reason) = (error as? ResolutionError)?.reason else {
            return nil
        }
        return reason as? ConsoleError
    }

    /// The exit code of a command that ends with an error: that of the first problem.
    package static func exitCode(of error: any Error) -> Int32 {
        (diagnostics(of: error).first?.code ?? .crashed).rawValue
    }

    /// A message as it is printed: what failed, and on a second line the fix, if there is one.
    static func text(of diagnostic: Diagnostic, label: Label, isColored: Bool) -> String {
        func head(_ word: String, _ color: String) -> String {
            isColored ? "\u{1b}[1;\(color)m\(word):\u{1b}[0m " : "\(word): "
        }
        let message = head(label.rawValue, label.color) + diagnostic.message.escapedMessage
        return message
            + (diagnostic.fix.map { "\n" + head("fix", "32") + $0.escapedMessage } ?? "")
    }

    static let beginnings = [Label.error.rawValue, Label.warning.rawValue, "fix"]
}

extension Diagnostic {
    /// The same problem, behind words that say what it is about.
    package func behind(_ words: String) -> Diagnostic {
        Diagnostic(words + message, fix: fix, code: code)
    }
}
