// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

/// The resolver that a factory is given: it knows what is being built, and for whom.
///
/// When the factory has returned the frame is over; whoever kept the resolver then resolves anew,
/// without the old chain.
final class Resolution: Resolver {
    let container: Container
    let registration: Registration
    let builder: WaitGraph.Builder
    private let parent: Resolution?
    private let isBuilding = Atomic(true)

    init(_ registration: Registration, in container: Container, parent: Resolution?) {
        self.registration = registration
        self.container = container
        self.parent = parent
        builder = parent?.builder ?? WaitGraph.Builder()
    }

    /// Says that the factory has returned.
    func end() {
        isBuilding.store(false, ordering: .releasing)
    }

    func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        try container.resolve(service, name: name, within: current)
    }

    func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try container.resolve(service, name: name, within: current, repeat each arguments)
    }

    /// What is being built, outermost first.
    var chain: [Registration] {
        var chain: [Registration] = []
        var frame: Resolution? = self
        while let here = frame {
            chain.append(here.registration)
            frame = here.parent
        }
        return chain.reversed()
    }

    private var current: Resolution? {
        isBuilding.load(ordering: .acquiring) ? self : nil
    }
}
