// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A property that is resolved when the object is made, by the container whose factory makes it.
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
/// It is resolved at once, on the thread that runs the factory, so that cycles and scopes are what they
/// are for `resolver.resolve`. If that fails, the factory's own resolution fails with the same error
/// as soon as the factory returns, and what it made is dropped. Reading the property before that, or
/// of an object that no factory made, ends the process with the reason.
///
/// In structs and actors. A final class that is `Sendable` cannot have a `var`, and so no property
/// wrapper: there, `let users = Injected<any UserService>()` does the same, and `users.wrappedValue`
/// is the service.
///
/// Since interface 1.1.
@propertyWrapper
public struct Injected<Service: Sendable>: Sendable {
    private enum Outcome {
        case resolved(Service)
        case failed(ResolutionError)
        case nobodyBuilds(ServiceRequest)
    }

    private let outcome: Outcome

    /// Resolves the unnamed implementation.
    public init() {
        self.init(name: nil)
    }

    /// Resolves the implementation of a name.
    ///
    /// - Parameter name: The name it was registered under; `nil` is the unnamed one.
    public init(name: String?) {
        guard let builder = InjectionSource.current else {
            outcome = .nobodyBuilds(ServiceRequest(Service.self, name: name))
            return
        }
        do throws(ResolutionError) {
            outcome = .resolved(try builder.resolver.resolve(Service.self, name: name))
        } catch {
            builder.fail(error)
            outcome = .failed(error)
        }
    }

    /// The service.
    public var wrappedValue: Service {
        switch outcome {
        case .resolved(let service):
            return service
        case .failed(let error):
            fatalError("an @Injected property is read that could not be had: \(error)")
        case .nobodyBuilds(let wanted):
            fatalError(
                "an @Injected \(wanted) is read of an object that no factory made: "
                    + "make the object in a factory, on the factory's thread")
        }
    }
}
