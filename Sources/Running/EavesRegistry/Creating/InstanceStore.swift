// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Keeps an instance once it was created; in the weak scope, as long as other code keeps it.
final class InstanceStore<Service: Sendable>: Sendable {
    private struct Strong {
        var instance: Service?
        /// Watches the instances once the registration was taken back.
        var trace: InstanceTrace?
    }

    private let weak: WeakInstance<Service>?
    private let strong = Guarded(Strong())

    init(isWeak: Bool) {
        weak = isWeak ? WeakInstance() : nil
    }

    /// The instance, if it exists.
    var instance: Service? {
        if let weak { return weak.instance }
        return strong.withLock { $0.instance }
    }

    /// Keeps a new instance. There must be no other.
    func keep(_ service: Service) {
        weak?.remember(service)
        let trace = strong.withLock { strong in
            if weak == nil { strong.instance = service }
            return strong.trace
        }
        trace?.noteCreated(service)
    }

    /// Lets a trace have what is kept from now on.
    ///
    /// - Returns: The instance that exists.
    func retire(into trace: InstanceTrace) -> Service? {
        let known = strong.withLock { strong in
            strong.trace = trace
            return strong.instance
        }
        return weak == nil ? known : weak?.instance
    }
}

/// The instance of the weak scope: it exists as long as other code keeps it.
final class WeakInstance<Service: Sendable>: Sendable {
    private struct Reference {
        weak var object: AnyObject?
    }

    private let reference = Guarded(Reference())

    /// The instance, if other code still keeps it.
    var instance: Service? {
        reference.withLock { reference in
            // Without an object, the cast to an optional service would succeed, and give its `nil`.
            guard let object = reference.object else { return nil }
            return object as? Service
        }
    }

    /// Remembers an instance. A value that is no object is not remembered, since nothing can keep it.
    func remember(_ instance: Service) {
        reference.withLock { $0.object = InstanceTrace.object(in: instance) }
    }
}
