// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesInterface

/// Launches a feature again when the process has crashed that its module runs in. So it goes on, as a host that crashes with
/// `--live` does.
enum RepeatedLaunch {
    /// A launch ends with the next crash after as many within a minute, as a host does.
    static let mostCrashes = 5

    /// - Parameters:
    ///   - warn: The reporter of each crash after which the feature is launched again.
    ///   - launch: Launches the feature, and throws `HostError`.
    ///   - time: The present time.
    static func run(
        warning warn: (Diagnostic) -> Void, _ launch: () async throws -> ExitCode,
        at time: () -> ContinuousClock.Instant = { .now }
    ) async throws -> ExitCode {
        var crashes: [ContinuousClock.Instant] = []
        while true {
            do {
                return try await launch()
            } catch let error as HostError {
                guard let crash = error.crash, !Task.isCancelled else { throw error }
                if case .resting(let pause, _) = crash.reason {
                    try await Task.sleep(for: pause)
                    continue
                }
                let now = time()
                crashes = crashes.filter { now - $0 < .seconds(60) } + [now]
                guard crashes.count <= mostCrashes else { throw error }
                let crashed = error.problems[0].diagnostic
                warn(
                    Diagnostic(
                        "\(crashed.message); it is launched again",
                        fix: "mend what is named, or ask the module's author", code: .crashed))
            }
        }
    }
}
