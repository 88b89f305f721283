// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesLoader

/// The process of its own in which a module's code runs while it is verified.
package struct Probe: Sendable {
    private let request: ProbeRequest
    private let results: ProbeResults

    /// The descriptor that the process is started with, for its results.
    package static let descriptor: Int32 = 3
    /// - Parameter json: The request, as the verifying process hands it over.
    /// - Returns: `nil` if it is none.
    package init?(json: String) {
        guard let request = ProbeRequest(json: json) else { return nil }
        self.request = request
        results = ProbeResults(Self.descriptor)
    }

    /// Whether a feature is to be launched, which wants the main thread free.
    package var launchesFeature: Bool { request.feature != nil }

    /// Runs the checks of the request, one after the other. The process is then to exit.
    package func run() {
        prepare()
        let trial = Trial(request)
        var unmet: Set<String> = []
        for check in CheckList.dynamics where request.checks.contains(check.id) {
            // The verifying process says that it is skipped, and why.
            guard unmet.isDisjoint(with: check.needs) else {
                unmet.insert(check.id)
                continue
            }
            results.send(.started(check.id, printed: ProbeOutput.size))
            // What follows when this process exits.
            if check == EndsCheck.self { break }
            guard let check = check as? any DirectCheck.Type else { continue }
            let finding = trial.finding { try check.run(trial) }
            if case .failed = finding { unmet.insert(check.id) }
            results.send(.finished(check.id, finding, printed: ProbeOutput.size))
        }
        CrashWatch.expectExit()
    }

    /// Launches the feature of the request with `--help`. The process is then to exit.
    package func runFeature() async {
        prepare()
        let trial = Trial(request)
        let id = FeaturesHelpCheck.id
        results.send(.started(id, printed: ProbeOutput.size))
        let finding: Finding
        do {
            finding = try await FeaturesHelpCheck.help(of: request.feature ?? "", trial)
        } catch {
            finding = trial.failure(error)
        }
        results.send(.finished(id, finding, printed: ProbeOutput.size))
        CrashWatch.expectExit()
    }

    private func prepare() {
        CrashWatch.leaveNothing()
        CrashWatch.begin()
        CrashWatch.watchThread()
        CrashWatch.report(to: results.descriptor)
    }
}
