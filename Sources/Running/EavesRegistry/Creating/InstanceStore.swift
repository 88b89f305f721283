// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A service as an object, for code that keeps services of all types.
final class BoxedService<Service: Sendable>: Sendable {
    let service: Service

    init(_ service: Service) {
        self.service = service
    }
}

/// Keeps an instance once it was created; in the weak scope, as long as other code keeps it.
final class InstanceStore<Service: Sendable>: Sendable {
    private let weak: WeakInstance<Service>?
    private let strong = Guarded<Service?>(nil)

    init(isWeak: Bool) {
        weak = isWeak ? WeakInstance() : nil
    }

    var instance: Service? {
        if let weak { return weak.instance }
        return strong.withLock { $0 }
    }

    /// Keeps a new instance. There must be no other.
    func keep(_ service: Service) {
        if let weak { return weak.remember(service) }
        strong.withLock { $0 = service }
    }
}

/// The instance of the weak scope: it exists as long as other code keeps it.
final class WeakInstance<Service: Sendable>: Sendable {
    private struct Reference {
        weak var object: AnyObject?
    }

    private let reference = Guarded(Reference())

    var instance: Service? {
        reference.withLock { reference in
            // Without an object, the cast to an optional service would succeed, and give its `nil`.
            guard let object = reference.object else { return nil }
            return object as? Service
        }
    }

    /// Remembers an instance. A value that is not an object is not remembered, since nothing can keep it.
    func remember(_ instance: Service) {
        reference.withLock { $0.object = object(in: instance) }
    }
}

/// The object that a value is, also as an optional.
func object(in value: Any) -> AnyObject? {
    if let optional = value as? any AnyOptional { return optional.value.flatMap(object) }
    return type(of: value) is AnyClass ? value as AnyObject : nil
}

private protocol AnyOptional {
    var value: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var value: Any? { map { $0 as Any } }
}
