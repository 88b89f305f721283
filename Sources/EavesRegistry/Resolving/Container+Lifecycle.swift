// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

extension Container {
    /// A resolver for the life cycle of a module: whatever it asks for counts as asked for by that module. It
    /// does not keep the container alive, since the container keeps the objects of the module.
    package func resolver(forLifecycleOf module: String) -> any Resolver {
        WeakResolver(
            self,
            asker: RegistrationLabel(
                request: ServiceRequest((any Lifecycle).self), scope: .transient, module: module,
                place: SourcePlace("start")))
    }
}
