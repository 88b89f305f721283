// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import EavesInterface

extension Factory {
    /// A registration of what `resolve` cannot make: that gets an error that says what to do.
    ///
    /// - Parameters:
    ///   - awaited: Makes it.
    ///   - reason: What `resolve` says.
    private static func registration(
        name: String?, scope: Scope, module: String?, place: SourcePlace,
        awaited: any Awaited, otherwise reason: ResolutionError.Reason
    ) -> Registration {
        var types: [Any.Type] = []
        for type in repeat (each Argument).self { types.append(type) }
        let wanted = ServiceRequest(Service.self, name: name, arguments: types)
        let candidate = "\(wanted) (\(module ?? "host"), \(place))"
        return registration(
            name: name, scope: scope, module: module, place: place,
            traits: RegistrationTraits(awaited: awaited)
        ) { (_: any Resolver, _: repeat each Argument) throws -> Service in
            // Still with itself at the end.
            let chain = eaves_reader_current().chain.dropLast()
            throw ResolutionError(
                reason, wanted: wanted, chain: Array(chain), candidates: [candidate])
        }
    }
}

extension Factory where repeat each Argument: Sendable {
    /// A registration whose factory is awaited.
    static func registration(
        name: String?, scope: Scope, module: String?, place: SourcePlace,
        makeAsync: @escaping AsyncFactory<Service, repeat each Argument>.Make
    ) -> Registration {
        let factory = AsyncFactory<Service, repeat each Argument>(scope: scope, make: makeAsync)
        return registration(
            name: name, scope: scope, module: module, place: place, awaited: factory,
            otherwise: .needsAwait)
    }

    /// A registration whose factory runs on the main actor.
    static func registration(
        name: String?, scope: Scope, module: String?, place: SourcePlace,
        makeOnMainActor: @escaping MainActorFactory<Service, repeat each Argument>.Make
    ) -> Registration {
        let factory = MainActorFactory<Service, repeat each Argument>(
            scope: scope, make: makeOnMainActor)
        return registration(
            name: name, scope: scope, module: module, place: place, awaited: factory,
            otherwise: .needsMainActor)
    }
}
