// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

extension Container {
    /// The services that modules answer for here, each with the id of the module: what `resolve` gives, in
    /// the order of registration. Stand-ins under other names are among them.
    package var served: [(request: ServiceRequest, module: String)] {
        registrations.compactMap { registration in
            guard let module = registration.module, !registration.traits.isAlternative else {
                return nil
            }
            return (registration.request, module)
        }
    }
}
