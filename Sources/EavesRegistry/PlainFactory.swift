// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

// SAFETY: as `ServiceFactory`; what is added is constant.
/// A registration with a factory that takes no runtime arguments.
final class PlainFactory<Service: Sendable>: ServiceFactory<Service>, @unchecked Sendable {
    typealias Make = @Sendable (any Resolver) throws -> Service

    let make: Make

    init(
        name: String?, scope: Scope, module: String?, place: SourcePlace,
        awaited: (any Awaited)? = nil, make: @escaping Make
    ) {
        self.make = make
        super.init(
            key: .plain(Service.self, name: name),
            request: ServiceRequest(Service.self, name: name),
            scope: scope, module: module, place: place, awaited: awaited)
    }

    /// - Parameter other: What to take over, without what it made.
    private init(renewing other: PlainFactory) {
        make = other.make
        super.init(renewing: other)
    }

    override func renewed() -> Registration { PlainFactory(renewing: self) }
}
