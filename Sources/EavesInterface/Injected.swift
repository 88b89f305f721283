// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A property that is resolved when its object is created, by the container whose factory runs.
///
/// ```swift
/// struct LoginScreen: Feature {
///     @Injected var users: any UserService
///     @Injected(name: "audit") var events: any EventHandler
/// }
///
/// registrar.registerFeature("login") { _ in LoginScreen() }
/// ```
///
/// The property is resolved immediately, on the thread that runs the factory, so cycles and scopes
/// behave as they do for `resolver.resolve`. If resolving fails, the factory's own resolution fails
/// with the same error as soon as the factory returns, and the new object is dropped. Reading the
/// property before that, or in an object that no factory created, ends the process with the reason.
///
/// Use it in structs and actors. A final class that is `Sendable` cannot have a `var`, and therefore
/// no property wrapper. There, `let users = Injected<any UserService>()` does the same, and
/// `users.wrappedValue` is the service.
///
/// Since interface 1.1.
@propertyWrapper
public struct Injected<Service: Sendable>: Sendable {
    private enum Outcome {
        case resolved(Service)
        case failed(ResolutionError)
        case outsideFactory(ServiceRequest)
    }

    private let outcome: Outcome

    /// Resolves the unnamed implementation.
    public init() {
        self.init(name: nil)
    }

    /// Resolves the implementation with a name.
    ///
    /// - Parameter name: The name that it is registered under; `nil` for the unnamed implementation.
    public init(name: String?) {
        guard let factory = InjectionSource.current else {
            outcome = .outsideFactory(ServiceRequest(Service.self, name: name))
            return
        }
        do throws(ResolutionError) {
            outcome = .resolved(try factory.resolver.resolve(Service.self, name: name))
        } catch {
            factory.fail(error)
            outcome = .failed(error)
        }
    }

    /// The service.
    public var wrappedValue: Service {
        switch outcome {
        case .resolved(let service):
            return service
        case .failed(let error):
            fatalError("an @Injected property was read that could not be resolved: \(error)")
        case .outsideFactory(let wanted):
            fatalError(
                "an @Injected \(wanted) was read in an object that no factory created: "
                    + "create the object in a factory, on the factory's thread")
        }
    }
}

/// Tells ``Injected`` which container's factory is running on the current thread.
///
/// The interface does not know the container's type. The container's module installs a lookup here
/// once.
package enum InjectionSource {
    /// The innermost factory that is running on the current thread.
    package struct RunningFactory {
        /// The resolver that the factory was given.
        package let resolver: any Resolver
        /// Makes the factory's resolution fail with an error as soon as the factory returns.
        package let fail: (ResolutionError) -> Void

        package init(resolver: any Resolver, fail: @escaping (ResolutionError) -> Void) {
            self.resolver = resolver
            self.fail = fail
        }
    }

    private typealias Lookup = @Sendable () -> RunningFactory?

    // SAFETY: the pointer is atomic. Only `install` stores to it, and every other access only loads.
    /// The installed lookup, in a box that is never freed.
    nonisolated(unsafe) private static let installed = Atomic<UnsafeRawPointer?>(nil)

    private final class Box: Sendable {
        let lookup: Lookup

        init(_ lookup: @escaping Lookup) {
            self.lookup = lookup
        }
    }

    /// Installs the lookup for the whole process. Only the first call has an effect.
    ///
    /// - Parameter lookup: Returns the factory that is running on the calling thread.
    package static func install(_ lookup: @escaping @Sendable () -> RunningFactory?) {
        // SAFETY: a stored reference is never released, so every loaded pointer leads to a living
        // box. If another box was stored first, nothing else has a reference to this one.
        let box = Unmanaged.passRetained(Box(lookup))
        let (isFirst, _) = installed.compareExchange(
            expected: nil, desired: UnsafeRawPointer(box.toOpaque()),
            ordering: .acquiringAndReleasing)
        if !isFirst { box.release() }
    }

    /// The factory that is running on the current thread, if any.
    static var current: RunningFactory? {
        guard let box = installed.load(ordering: .acquiring) else { return nil }
        // SAFETY: only `install` stores here, and it stores a reference that is never released.
        return Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().lookup()
    }
}
