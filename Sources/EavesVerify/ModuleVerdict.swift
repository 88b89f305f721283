// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDiagnostics

/// How all checks of one module ended.
package struct ModuleVerdict: Sendable {
    package let entry: CatalogEntry
    /// In the order of the list.
    package let checks: [CheckResult]

    /// Whether no check failed.
    package var isPassed: Bool { !checks.contains { $0.outcome == .failed } }

    /// The exit code that it stands for: of the first failure.
    package var code: FailureCode? {
        checks.first { $0.outcome == .failed }?.diagnostics.first?.code
    }

    /// How many of its checks ended like this.
    package func count(of outcome: CheckResult.Outcome) -> Int {
        checks.count { $0.outcome == outcome }
    }

    /// The check in which it crashed as it would in a host; `nil` if it did not.
    package var crash: CheckResult? {
        let hosts = Set(CheckList.dynamics.filter { $0.isWhatHostsDo }.map { $0.id })
        return checks.first { check in
            guard hosts.contains(check.id), let death = check.death else { return false }
            return death.isCrash(of: entry.id)
        }
    }
}
