// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The instances of the graph scope that one resolution has made so far.
///
/// Belongs to a thread's record from the first of them until the outermost resolution ends.
final class ResolutionGraph {
    private final class Instance<Service> {
        let service: Service

        init(_ service: Service) {
            self.service = service
        }
    }

    private var instances: [ObjectIdentifier: AnyObject] = [:]

    /// What the factory has made, if it has.
    func instance<Service>(of factory: ServiceFactory<Service>) -> Service? {
        // SAFETY: `keep` is the only writer, and stores just this type under a factory of this
        // service. The section keeps the factory alive, so that no other has its identity.
        instances[ObjectIdentifier(factory)].map {
            unsafeDowncast($0, to: Instance<Service>.self).service
        }
    }

    /// Keeps what the factory has made until the resolution ends.
    func keep<Service>(_ service: Service, of factory: ServiceFactory<Service>) {
        instances[ObjectIdentifier(factory)] = Instance(service)
    }

    /// Keeps it no longer.
    func forget(_ factory: Registration) {
        instances[ObjectIdentifier(factory)] = nil
    }
}
