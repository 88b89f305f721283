// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
package import EavesDiagnostics
import EavesInterface
import EavesRules

/// A feature failed in a way that it did not answer for.
package struct FeatureError: Error, Sendable {
    package let feature: String
    /// The id of the feature's module.
    package let id: String
    /// The module's file, as people see it.
    package let path: String
    /// What the feature threw, or what kept it from being made.
    package let reason: any Error

    /// `nil` for an error that says all there is to say: about input, output, arguments, or a
    /// service that could not be had.
    init?(_ feature: String, of module: CatalogEntry, _ error: any Error) {
        switch error {
        case is ConsoleError, is UsageError, is any Diagnosable:
            return nil
        case let error as ResolutionError:
            guard case .factoryFailed(let reason) = error.reason,
                !(reason is ConsoleError || reason is UsageError)
            else { return nil }
            self.reason = Need(error.wanted) == .feature(feature) ? reason : error
        default:
            reason = error
        }
        self.feature = feature
        id = module.id
        path = module.path
    }
}

extension FeatureError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        [Diagnostic("feature '\(feature)' failed: \(reason)", code: .crashed).naming(id, path)]
    }
}
