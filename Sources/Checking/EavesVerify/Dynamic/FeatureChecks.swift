// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesInterface

// Launching a feature.
extension ProbedModule {
    private static let adviceForHelp =
        "print what arguments it takes and return 0, or throw a UsageError"

    /// Launches one feature with `--help` and an empty standard input.
    func checkHelp(ofFeature name: String) async throws -> CheckConclusion {
        let container = try commit()
        let printed = ProbeOutput.size
        let code: Int32
        do {
            code = try await Self.launch(name, from: container)
        } catch {
            let request = ServiceRequest((any Feature).self, name: name)
            if let need = (error as? ResolutionError)?.unmetNeed(of: request) {
                return .skipped("feature '\(name)': \(need)")
            }
            return failure("feature '\(name)' failed: \(error)", fix: Self.adviceForHelp, .crashed)
        }
        return judge(name, code: code, text: ProbeOutput.text(from: printed))
    }

    /// Launches a feature as a host does, and gives the exit code that the command would give.
    private static func launch(_ name: String, from resolver: any Resolver) async throws -> Int32 {
        let console = StandardConsole()
        do {
            let feature = try await resolver.resolveAsync((any Feature).self, name: name)
            let code = try await feature.run(
                Launch(arguments: ["--help"], feature: name, console: console))
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

    private func judge(_ name: String, code: Int32, text: String) -> CheckConclusion {
        guard code == 0 || code == FailureCode.usage.rawValue else {
            return failure(
                "feature '\(name)' ended with \(code) for '--help', expected 0 or 64",
                fix: Self.adviceForHelp)
        }
        guard !text.isEmpty else {
            return failure(
                "feature '\(name)' printed nothing for '--help'", fix: Self.adviceForHelp)
        }
        guard code != 0 || Self.looksLikeHelp(text) else {
            return warning(
                "feature '\(name)' seems to start its work when it is asked for help",
                fix: Self.adviceForHelp)
        }
        return .passed
    }

    /// Whether a text speaks of usage, or names an option.
    private static func looksLikeHelp(_ text: String) -> Bool {
        // A feature that only repeats its arguments prints '--help', too.
        let text = text.lowercased().removing("--help")
        return ["usage", "--", "option", "argument", "-h"].contains(where: text.includes)
    }
}
