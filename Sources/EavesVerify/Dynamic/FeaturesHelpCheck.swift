// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesInterface

/// Launches each feature with `--help` and nothing to read, in a process of its own each.
enum FeaturesHelpCheck: DynamicCheck {
    static let id = "features-help"
    static let meaning =
        "each feature, launched with '--help', says something and ends with 0 or 64"
    static let needs = [DeclarationKeptCheck.id]
    static let stage = TrialStage.feature

    /// Launches one feature, in the probe.
    static func help(of name: String, _ trial: Trial) async throws -> Finding {
        let container = try trial.commit()
        let printed = ProbeOutput.size
        let code: Int32
        do {
            code = try await launch(name, from: container)
        } catch {
            let request = ServiceRequest((any Feature).self, name: name)
            if let need = (error as? ResolutionError)?.unmetNeed(of: request) {
                return .skipped("feature '\(name)': \(need)")
            }
            return trial.failure("feature '\(name)' failed: \(error)", fix: advice, .crashed)
        }
        return judge(name, code: code, text: ProbeOutput.text(from: printed), trial)
    }

    /// As a host does it, with the exit code that the command would give.
    private static func launch(_ name: String, from resolver: any Resolver) async throws -> Int32 {
        let console = StandardConsole()
        do {
            let feature = try resolver.resolve((any Feature).self, name: name)
            let code = try await feature.launch(Launch(arguments: ["--help"], console: console))
            try console.flush()
            return Int32(code.rawValue)
        } catch {
            try console.flush()
            var usage = error as? UsageError
            if case .factoryFailed(let reason) = (error as? ResolutionError)?.reason {
                usage = reason as? UsageError
            }
            guard let usage else { throw error }
            console.warn("\(usage)")
            return FailureCode.usage.rawValue
        }
    }

    private static let advice = "print what arguments it takes and return 0, or throw a UsageError"

    private static func judge(
        _ name: String, code: Int32, text: String, _ trial: Trial
    ) -> Finding {
        guard code == 0 || code == FailureCode.usage.rawValue else {
            return trial.failure(
                "feature '\(name)' ended with \(code) for '--help', expected 0 or 64", fix: advice)
        }
        guard !text.isEmpty else {
            return trial.failure("feature '\(name)' printed nothing for '--help'", fix: advice)
        }
        guard code != 0 || looksLikeHelp(text) else {
            return trial.warning(
                "feature '\(name)' seems to start its work when it is asked for help", fix: advice)
        }
        return .passed
    }

    /// Help speaks of usage, or names an option.
    private static func looksLikeHelp(_ text: String) -> Bool {
        // What only repeats what it was given says nothing of itself.
        let text = text.lowercased().removing("--help")
        return ["usage", "--", "option", "argument", "-h"].contains(where: text.includes)
    }
}
