// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
package import EavesDiagnostics
import EavesInterface
import EavesRegistry
import EavesRules

/// A feature failed with an error that it does not answer for.
package struct FeatureError: Error, Sendable {
    package let feature: String
    /// The id of the feature's module.
    package let id: String
    /// The module's file, as people see it.
    package let path: String
    /// The error that the feature threw, or the reason why it could not be created.
    package let reason: any Error

    /// - Returns: `nil` for an error that says everything itself: about input, output, arguments, or a
    ///   service that could not be resolved.
    package init?(_ feature: String, of module: CatalogEntry, _ error: any Error) {
        switch error {
        case is ConsoleError, is UsageError, is any Diagnosable:
            return nil
        case let error as ResolutionError:
            guard case .factoryFailed(let reason) = error.reason,
                !(reason is ConsoleError || reason is UsageError)
            else { return nil }
            self.reason = Capability(error.wanted) == .feature(feature) ? reason : error
        default:
            reason = error
        }
        self.feature = feature
        id = module.id
        path = module.path
    }

    /// The end of the process that the feature's module has for itself; `nil` for another error. The process of another
    /// module does not end the feature.
    var crash: RemoteCallError? {
        guard let error = reason as? RemoteCallError, error.module == id else { return nil }
        switch error.reason {
        case .killed, .exited, .misunderstood, .resting: return error
        default: return nil
        }
    }
}

extension FeatureError: Diagnosable {
    package var diagnostic: Diagnostic {
        Diagnostic("feature '\(feature)' failed: \("\(reason)".indented)", code: .crashed)
            .naming(id, path)
    }
}
