// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesInterface

extension Container {
    /// Finds the objects that live on and keep a service of another module, by their declared needs: after a
    /// swap of the service, they stay with the old implementation.
    ///
    /// Needs that are resolved later do not count, and neither do objects that end with their user. Nothing is
    /// loaded or created.
    ///
    /// - Parameter isExchangeable: Whether a service, with its name, can come from another module.
    /// - Returns: In the order of modules and places, whatever the order of registration.
    package func findKeptServices(
        where isExchangeable: @escaping (ServiceNeed) -> Bool
    ) -> [KeptService] {
        Validation(self, isProvided: { _ in false }).keptServices(where: isExchangeable)
    }
}

/// A service that can be exchanged while a host runs, and that an object of another module keeps.
package struct KeptService: Sendable {
    /// The registration of the service, as it would be chosen now.
    package let held: Registration
    /// The registration of the object that keeps it.
    package let keeper: Registration
}

extension KeptService: Diagnosable {
    /// The message, which is a warning: as long as nobody swaps the service, nothing is wrong.
    package var diagnostic: Diagnostic {
        Diagnostic(
            "\(keeper) is \(keeper.scope.name), and keeps \(held): after a swap of "
                + "\(held.request) in a running host it still has the old one",
            fix: "keep a Provider or a Handle instead of the service, and declare the need with "
                + "'.later'",
            code: .configuration)
    }
}
