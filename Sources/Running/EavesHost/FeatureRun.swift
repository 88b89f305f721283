// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
package import EavesInterface

// What every host does around a feature's own code.
extension Feature {
    /// Launches the feature: prints its help if it is asked for, and adds near matches to an error about
    /// an unknown option.
    package func run(_ launch: Launch) async throws -> ExitCode {
        do {
            return try await self.launch(launch)
        } catch let help as HelpRequest {
            try launch.console.write(help.description)
            return .success
        } catch let error as UsageError {
            throw error.withNearMatches
        }
    }
}

extension Launch {
    /// The same input for a feature that is launched by its name.
    package func naming(_ feature: String, summary: String? = nil) -> Launch {
        var launch = self
        launch.feature = feature
        if let summary { launch.summary = summary }
        return launch
    }
}

extension UsageError {
    fileprivate var withNearMatches: UsageError {
        guard let unknown else { return self }
        return UsageError(
            description + NearMatch.suffix(for: unknown, among: known), fix: fix)
    }
}
