// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Registers a module's factories while the module is being loaded.
///
/// The requirements take all parameters. Modules call the short forms in the extension, which have default values.
///
/// All registrations of a module become visible in one step when its registration is complete, and none of them if it
/// fails. A registrar is not `Sendable`: use it on the thread that called the module, and do not keep it.
public protocol Registrar {
    /// The settings that the manifest has for this module.
    var settings: Settings { get }

    /// Registers a factory.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - options: The name, the scope and the needs.
    ///   - factory: A function that creates the implementation. Called on any thread, possibly on several at once.
    ///   - completed: A function that hands the new instance the services that it needs, on the same thread; `nil` if
    ///     the factory does everything.
    func register<Service: Sendable>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory: @escaping @Sendable (any Resolver) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)?)

    /// Registers a factory with runtime arguments.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - options: The name, the scope and the needs.
    ///   - factory: A function that creates the implementation. Called on any thread, possibly on several at once.
    ///   - completed: A function that hands the new instance the services that it needs, on the same thread; `nil` if
    ///     the factory does everything.
    func register<Service: Sendable, each Argument>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)?)

    /// Registers a factory that is awaited.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - options: The name, the scope and the needs.
    ///   - factory: A function that creates the implementation. Called in any task, possibly in several at once.
    ///   - completed: A function that hands the new instance the services that it needs, in the same task; `nil` if the
    ///     factory does everything.
    func registerAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service,
        completed: (@Sendable (any Resolver, Service) async throws -> Void)?)

    /// Registers a factory that runs on the main actor.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - options: The name, the scope and the needs.
    ///   - factory: A function that creates the implementation, on the main actor.
    ///   - completed: A function that hands the new instance the services that it needs, on the main actor; `nil` if the
    ///     factory does everything.
    func registerOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws
            -> Service,
        completed: (@MainActor @Sendable (any Resolver, Service) throws -> Void)?)

    /// Answers requests for one service with the instance of another.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for.
    ///   - name: The name that others ask for; `nil` for the unnamed implementation.
    ///   - target: The protocol that is resolved instead.
    ///   - targetName: The name that the target is registered under; `nil` for the unnamed implementation.
    ///   - place: The place of the registration in the source, for messages.
    ///   - arguments: The types of the runtime arguments, in order. The target gets the arguments.
    ///   - convert: Converts the target's instance.
    func forward<Service: Sendable, Target: Sendable, each Argument>(
        _ service: Service.Type, name: String?, to target: Target.Type, targetName: String?,
        place: SourcePlace, arguments: repeat (each Argument).Type,
        convert: @escaping @Sendable (Target) throws -> Service)

    /// Wraps the instances that are created for a service.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for.
    ///   - name: The name that it is registered under; `nil` for the unnamed implementation.
    ///   - place: The place of the registration in the source, for messages.
    ///   - decorator: A function that takes the new instance, and returns the one that callers get instead.
    func decorate<Service: Sendable>(
        _ service: Service.Type, name: String?, place: SourcePlace,
        decorator: @escaping @Sendable (any Resolver, Service) throws -> Service)

    /// Hands the host the object that begins and ends the module's work.
    ///
    /// A module has one such object for each time that it registers; with a second one, the registration fails.
    ///
    /// - Parameter lifecycle: The object, typically one that the module's factories share. The host keeps it as long
    ///   as this generation of the module serves, and until it has stopped it.
    func lifecycle(_ lifecycle: any Lifecycle)
}

/// A registration, apart from its service and its factory.
///
/// Later interfaces may add properties with default values.
public struct RegistrationOptions: Sendable {
    /// Distinguishes several implementations of one service; `nil` for the unnamed one.
    public var name: String?
    /// The time for which the container keeps the instance.
    public var scope: Scope
    /// The services that the factory asks for.
    public var needs: [ServiceNeed]
    /// The place of the registration in the source, for messages.
    public var place: SourcePlace

    /// Creates options.
    ///
    /// - Parameters:
    ///   - name: Distinguishes several implementations of one service; `nil` for the unnamed one.
    ///   - scope: The time for which the container keeps the instance.
    ///   - needs: The services that the factory asks for.
    ///   - place: The place of the registration in the source, for messages.
    public init(
        name: String? = nil, scope: Scope = .transient, needs: [ServiceNeed] = [],
        place: SourcePlace
    ) {
        self.name = name
        self.scope = scope
        self.needs = needs
        self.place = place
    }

    init(
        _ name: String?, _ scope: Scope, _ needs: [ServiceNeed], _ fileID: StaticString,
        _ line: UInt
    ) {
        let place = SourcePlace(fileID: fileID, line: line)
        self.init(name: name, scope: scope, needs: needs, place: place)
    }
}

/// A place in a module's source, for messages.
public struct SourcePlace: Hashable, Sendable, CustomStringConvertible {
    /// Module and file, such as `Users/UsersModule.swift`.
    public let fileID: String
    /// The line, from 1 on; 0 if the place is not a line of Swift.
    public let line: UInt

    /// Creates a place from the caller's source location.
    ///
    /// - Parameters:
    ///   - fileID: The value of `#fileID`.
    ///   - line: The value of `#line`.
    public init(fileID: StaticString, line: UInt) {
        self.fileID = String(describing: fileID)
        self.line = line
    }

    /// Creates a place for something that was not compiled from Swift.
    package init(_ name: String) {
        fileID = name
        line = 0
    }

    /// Creates the place that another process has told.
    package init(fileID: String, line: UInt) {
        self.fileID = fileID
        self.line = line
    }

    /// File and line, such as `Users/UsersModule.swift:12`.
    public var description: String { "\(fileID):\(line)" }
}
