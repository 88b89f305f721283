// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A property that is resolved when its object is created, by the container whose factory runs.
///
/// ```swift
/// struct LoginScreen: Feature {
///     @Injected var users: any UserService
///     @Injected(name: "audit") var audit: any EventHandler
///     @Injected var events: (any EventHandler)?
///     @Injected var mail: Lazy<any MailService>
/// }
///
/// registrar.registerFeature("login") { _ in LoginScreen() }
/// ```
///
/// The property is resolved immediately, where the factory runs, so cycles and scopes behave as they do
/// for `resolver.resolve`. Its type says what is asked for:
///
/// - A service, such as `any UserService`, is resolved.
/// - An optional of a service is resolved if something provides it, and is `nil` otherwise.
/// - A ``Lazy`` resolves its service at its first use, and a ``Provider`` at each use. They do not keep
///   the container alive.
///
/// If resolving fails, the factory's own resolution fails with the same error as soon as the factory
/// returns, and the new object is dropped. Reading the property before that ends the process with the
/// reason, and so does reading it in an object that was created where no factory runs.
///
/// A factory that is awaited runs in its task, and in the tasks that it starts as long as it has not returned; any
/// other factory runs on its thread. No factory runs in detached tasks, and on threads that a factory starts. A
/// property cannot wait: for a service that has to be awaited, resolving it fails.
///
/// A test creates the object by hand, and gives it its services:
///
/// ```swift
/// let screen = LoginScreen(users: .given(MockUsers()), events: .given(nil))
///
/// var other = LoginScreen()
/// other.users = MockUsers()
/// ```
///
/// Use it in structs and actors. A final class that is `Sendable` cannot have a `var`, and therefore no property
/// wrapper. There, `let users = Injected<any UserService>()` does the same, and `users.wrappedValue` is the service.
@propertyWrapper
public struct Injected<Service: Sendable>: Sendable {
    private enum Outcome {
        case resolved(Service)
        case failed(ResolutionError)
        case outsideFactory(ServiceRequest)
    }

    private var outcome: Outcome

    /// Resolves the unnamed implementation.
    public init() {
        self.init(name: nil)
    }

    /// Resolves the implementation with a name.
    ///
    /// - Parameter name: The name that it is registered under; `nil` for the unnamed implementation.
    public init(name: String?) {
        let injection = Injection<Service>.known
        guard let factory = InjectionSource.current else {
            outcome = .outsideFactory(ServiceRequest(injection.need.service.type, name: name))
            return
        }
        do throws(ResolutionError) {
            outcome = .resolved(try injection.resolve(factory.resolver, name))
        } catch {
            factory.fail(error)
            outcome = .failed(error)
        }
    }

    /// Takes a service as it is, and resolves nothing.
    ///
    /// - Parameter wrappedValue: The service.
    public init(wrappedValue: Service) {
        outcome = .resolved(wrappedValue)
    }

    /// Returns a property that has a service already, for an object that is created by hand.
    ///
    /// - Parameter service: The service, such as a mock.
    public static func given(_ service: Service) -> Injected {
        Injected(wrappedValue: service)
    }

    /// The service. Setting it gives the object another one.
    public var wrappedValue: Service {
        get {
            switch outcome {
            case .resolved(let service):
                return service
            case .failed(let error):
                fatalError("an @Injected property was read that could not be resolved: \(error)")
            case .outsideFactory(let wanted):
                fatalError(
                    """
                    an @Injected \(wanted) was read in an object that no factory created: the object \
                    was created outside of factories, in a detached task, or on a thread that a \
                    factory has started. Create it in the factory itself, or give it the service
                    """)
            }
        }
        set { outcome = .resolved(newValue) }
    }
}

/// The container whose factory is running on the current thread or in the current task, for ``Injected``.
///
/// The interface does not know the container's type. The container's module installs a lookup here once.
package enum InjectionSource {
    /// The innermost factory that is running on the current thread or in the current task.
    package struct RunningFactory {
        package let resolver: any Resolver
        /// A function that makes the factory's resolution fail with an error as soon as the factory returns.
        package let fail: (ResolutionError) -> Void

        package init(resolver: any Resolver, fail: @escaping (ResolutionError) -> Void) {
            self.resolver = resolver
            self.fail = fail
        }
    }

    private static let installed = Installed<@Sendable () -> RunningFactory?>()

    /// Installs the lookup for the whole process. Only the first call has an effect.
    ///
    /// - Parameter lookup: A function that returns the factory which is running on the calling thread or in the current
    ///   task.
    package static func install(_ lookup: @escaping @Sendable () -> RunningFactory?) {
        installed.install(lookup)
    }

    /// The factory that is running on the current thread or in the current task, if any.
    static var current: RunningFactory? { installed.function?() }
}
