// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
import EavesHost
package import EavesManifest
import EavesModules
package import EavesProcess
import EavesRules
package import EavesSystem

/// Verifies modules: checks the rules about the binary, and then runs the module's code in probes.
package struct Verification: Sendable {
    private let selected: Set<String>?
    private let needed: Set<String>
    private let limit: Duration
    private let isWalled: Bool

    /// - Parameter ids: The checks to report on; all if empty. The checks that they presuppose run as well, and
    ///   are reported if they fail.
    package init(
        only ids: [String], limit: Duration, isWalled: Bool = false
    ) throws(VerifyError) {
        let known = Set(CheckList.all.map(\.id))
        for id in ids where !known.contains(id) { throw .unknownCheck(id) }
        selected = ids.isEmpty ? nil : Set(ids)
        needed = CheckList.needed(for: selected)
        self.limit = limit
        self.isWalled = isWalled
    }

    /// Verifies one module.
    ///
    /// - Parameters:
    ///   - manifest: The manifest whose other modules provide what this one needs, if there is one.
    ///   - reason: Why no code of the module is run; `nil` to run it.
    package func verdict(
        of entry: CatalogEntry, in manifest: Manifest?, among catalog: Catalog?,
        skippingCode reason: String? = nil
    ) throws(VerifyError) -> ModuleVerification {
        let module = InspectedModule(entry, among: catalog, in: manifest, host: .current)
        var results = CheckResults()
        for rule in BinaryRules.all where needed.contains(rule.id) {
            if results.skip(rule) { continue }
            results.add(ModuleVerification.Check(rule, CheckConclusion(of: rule, for: module)))
        }
        for check in DynamicChecks.all where needed.contains(check.id) {
            let lacksEntry = entry.declaration?.layer == .interface && !check.isForInterfaces
            if let reason = lacksEntry ? "an interface module has no entry point" : reason {
                results.add(ModuleVerification.Check(check, .skipped(reason)))
            }
        }
        let hasWall = reason == nil && (isWalled || entry.isIsolated)
        let session = ProbeSession(
            module: module, limit: limit, permissions: hasWall ? entry.permissions : nil)
        for stage in DynamicCheck.Stage.allCases {
            let checks = DynamicChecks.all.filter {
                reason == nil && $0.stage == stage && needed.contains($0.id)
            }
            if stage == .feature {
                try session.launchFeatures(checks, &results)
            } else {
                try session.run(checks, &results)
            }
        }
        // The selected checks need all others that ran, so each failure is reported.
        let reported = results.inOrder.filter {
            selected?.contains($0.id) ?? true || $0.outcome == .failed
        }
        return ModuleVerification(module: entry, isWalled: hasWall, checks: reported)
    }
}

/// The reason why modules cannot be verified at all.
package enum VerifyError: Error, Sendable {
    case unknownCheck(String)
    /// The probe did not begin; how it ended, and the text that it printed.
    case probeFailed(ChildEnding, output: String)
    case system(SystemError)
}

extension VerifyError: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .unknownCheck(let id):
            Diagnostic(
                "there is no check '\(id)'"
                    + NearMatch.suffix(for: id, among: CheckList.all.map(\.id)),
                fix: "see all checks with 'eaves verify --list-checks'", code: .usage)
        case .probeFailed(let ending, let output):
            Diagnostic(
                "the process that runs modules ended at once, with \(ending)"
                    + (output.isEmpty ? "" : ": \(output)"),
                code: .inputOutput)
        case .system(let error): error.diagnostic
        }
    }
}
