// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesManifest
import EavesSystem

/// Runs checks over modules.
package struct Verification: Sendable {
    private let selected: Set<String>?
    private let needed: Set<String>
    private let command: ProbeCommand
    private let limit: Duration

    /// - Parameters:
    ///   - ids: The checks to report on; all if empty. What these need is run as well.
    ///   - command: How a probe is started.
    ///   - limit: How long each check may take that runs the module's code.
    package init(
        only ids: [String], command: ProbeCommand, limit: Duration
    ) throws(VerifyError) {
        let known = Set(CheckList.all.map { $0.id })
        for id in ids where !known.contains(id) { throw .unknownCheck(id) }
        selected = ids.isEmpty ? nil : Set(ids)
        needed = CheckList.needed(for: selected)
        self.command = command
        self.limit = limit
    }

    /// Verifies one module.
    ///
    /// - Parameters:
    ///   - entry: The module.
    ///   - manifest: Where the modules that it needs are found, if there is one.
    ///   - catalog: All modules of the manifest.
    package func verdict(
        of entry: CatalogEntry, in manifest: Manifest?, among catalog: Catalog?
    ) throws(VerifyError) -> ModuleVerdict {
        let subject = Subject(entry, in: manifest, among: catalog)
        var results = CheckResults()
        for check in CheckList.statics where needed.contains(check.id) {
            if results.skip(check) { continue }
            results.add(CheckResult(check, check.run(subject)))
        }
        let session = ProbeSession(subject: subject, command: command, limit: limit)
        for stage in TrialStage.allCases {
            let checks = CheckList.dynamics.filter {
                $0.stage == stage && needed.contains($0.id)
            }
            if stage == .feature {
                try session.launchFeatures(checks, &results)
            } else {
                try session.run(checks, &results)
            }
        }
        return ModuleVerdict(
            entry: entry,
            checks: results.inOrder.filter { selected?.contains($0.id) ?? true })
    }
}
