// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// A command line that cannot be understood.
enum UsageFault: Error, Hashable, Sendable {
    case unknownCommand(String, known: [String])
    case unknownOption(String, known: [String])
    case missingValue(String)
    case unexpectedValue(String)
    case wrongOperands(command: String, expected: String, found: [String])
}

extension UsageFault: Diagnosable {
    var diagnostics: [Diagnostic] {
        switch self {
        case .unknownCommand(let word, let known):
            [
                usage(
                    "unknown command '\(word)'" + NearMatch.suffix(for: word, among: known),
                    fix: "see all commands with 'eaves --help'")
            ]
        case .unknownOption(let option, let known):
            [
                usage(
                    "unknown option '\(option)'" + NearMatch.suffix(for: option, among: known),
                    fix: "see the options with '--help'")
            ]
        case .missingValue(let option):
            [usage("option '\(option)' needs a value", fix: "see the options with '--help'")]
        case .unexpectedValue(let option):
            [usage("option '\(option)' takes no value", fix: "see the options with '--help'")]
        case .wrongOperands(let command, let expected, let found):
            [
                usage(
                    "'eaves \(command)' expects "
                        + (expected.isEmpty ? "no operands" : "\(expected)")
                        + ", found "
                        + (found.isEmpty ? "nothing" : "'\(found.joined(separator: " "))'"),
                    fix: "see 'eaves \(command) --help'")
            ]
        }
    }

    private func usage(_ message: String, fix: String) -> Diagnostic {
        Diagnostic(message, fix: fix, code: .usage)
    }
}
