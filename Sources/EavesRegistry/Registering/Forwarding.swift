// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import EavesInterface

/// A service that is answered by what answers another.
struct Forwarding<Service: Sendable, Target: Sendable>: Sendable {
    private let name: String?
    private let targetName: String?

    init(_ service: Service.Type, name: String?, target: Target.Type, targetName: String?) {
        self.name = name
        self.targetName = targetName
    }

    /// The registration of it.
    func registration<each Argument>(
        module: String?, place: SourcePlace, arguments: repeat (each Argument).Type,
        convert: @escaping @Sendable (Target) throws -> Service
    ) -> Registration {
        var traits = RegistrationTraits()
        let target = ServiceNeed.service(
            Target.self, name: targetName, arguments: repeat each arguments)
        traits.needs = [target]
        traits.target = target
        let targetName = targetName
        return Factory<Service, repeat each Argument>.registration(
            name: name, scope: .transient, module: module, place: place, traits: traits
        ) { (resolver: any Resolver, arguments: repeat each Argument) -> Service in
            let target = try Self.target(
                named: targetName, of: module, resolver, repeat each arguments)
            return try convert(target)
        }
    }

    /// What answers: the module's own if it has registered one, whichever is chosen.
    private static func target<each Argument>(
        named name: String?, of module: String?, _ resolver: any Resolver,
        _ arguments: repeat each Argument
    ) throws -> Target {
        // SAFETY: whoever resolves holds the container of what is built.
        if let module, let container = eaves_reader_current().top?.owner?.takeUnretainedValue(),
            let own = container.own(Target.self, name: name, of: module, repeat each arguments)
        {
            return try own.get()
        }
        return try resolver.resolve(Target.self, name: name, arguments: repeat each arguments)
    }
}
