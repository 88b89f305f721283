// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface
package import EavesManifest
package import EavesRegistry

/// The pipeline on one screen: manifest → catalog → load → register → launch.
///
/// A host is made for one manifest. Nothing of a module runs before it is needed: launching a
/// feature loads its module, and a service that is asked for loads the module that provides it.
package final class Host: Sendable {
    let supply: ModuleSupply
    /// Where modules register, and services are asked for.
    package let container: Container

    /// Looks at no module yet.
    ///
    /// - Parameters:
    ///   - manifest: Where the modules are.
    ///   - source: Brings modules' files up to date before they are loaded.
    ///   - observe: Is told what is loaded, on the thread that loads.
    package init(
        manifest: Manifest, source: any ModuleSource = NoSource(),
        observe: @escaping @Sendable (HostEvent) -> Void = { _ in }
    ) throws {
        let supply = ModuleSupply(manifest: manifest, source: source, observe: observe)
        self.supply = supply
        container = Container(
            supplier: { request, container in
                try supply.provide(Need(request), in: container)
            },
            supplierOfAll: { request, container in
                if case .service(let service, _) = Need(request) {
                    try supply.provideAll(service, in: container)
                }
            })
        try container.registerHostServices()
    }

    /// Launches a feature: checks all its declared needs, loads its module, makes it, runs it.
    ///
    /// No module has to provide what the host's program itself has registered in the container.
    ///
    /// - Parameters:
    ///   - feature: The feature's name.
    ///   - launch: The arguments, and where to read and write.
    /// - Returns: How the feature ended.
    package func launch(_ feature: String, _ launch: Launch) async throws -> ExitCode {
        let isOwn = { [container] (need: Need) in container.hasOwn { Need($0) == need } }
        if isOwn(.feature(feature)) {
            return try await container.resolveAsync((any Feature).self, name: feature)
                .launch(launch)
        }
        let plan = try supply.plan(for: feature, unless: isOwn)
        try supply.load(plan.module, into: container)
        do {
            let made = try await container.resolveAsync((any Feature).self, name: feature)
            return try await made.launch(launch)
        } catch {
            throw FeatureError(feature, of: plan.module, error) ?? error
        }
    }
}
