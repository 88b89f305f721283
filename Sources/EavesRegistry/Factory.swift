// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// A registration with its typed factory.
final class Factory<Service: Sendable, each Argument>: Registration, @unchecked Sendable {
    // SAFETY: as in `Registration`; `instance` guards itself.
    typealias Make = @Sendable (any Resolver, repeat each Argument) throws -> Service

    let make: Make
    /// Where the one instance of the shared scope is kept.
    let instance: SharedInstance<Service>?

    init(
        _ service: Service.Type, name: String?, scope: Scope, module: String?, place: SourcePlace,
        make: @escaping Make
    ) {
        self.make = make
        instance = scope == .shared ? SharedInstance() : nil
        var arguments: [Any.Type] = []
        for type in repeat (each Argument).self { arguments.append(type) }
        super.init(
            key: ServiceKey(service, name: name, arguments: (repeat each Argument).self),
            request: ServiceRequest(service, name: name, arguments: arguments),
            scope: scope, module: module, place: place)
    }
}
