// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// What came with interface 1.1, for registrars that know nothing of it; and the shorter forms.
extension Registrar {
    /// Registers a factory that completes what it made itself. The needs are not checked.
    public func register<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, scope: Scope, place: SourcePlace,
        needs: [ServiceNeed],
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)?
    ) {
        guard let completed else {
            return register(service, name: name, scope: scope, place: place, factory: factory)
        }
        register(service, name: name, scope: scope, place: place) {
            (resolver: any Resolver, arguments: repeat each Argument) -> Service in
            let made = try factory(resolver, repeat each arguments)
            try completed(resolver, made)
            return made
        }
    }

    /// Registers a factory that resolves the target, and converts it.
    public func forward<Service: Sendable, Target: Sendable, each Argument>(
        _ service: Service.Type, name: String?, to target: Target.Type, targetName: String?,
        place: SourcePlace, arguments: repeat (each Argument).Type,
        convert: @escaping @Sendable (Target) throws -> Service
    ) {
        register(service, name: name, scope: .transient, place: place) {
            (resolver: any Resolver, arguments: repeat each Argument) -> Service in
            let made = try resolver.resolve(
                target, name: targetName, arguments: repeat each arguments)
            return try convert(made)
        }
    }

    /// Ends the process: a registrar that cannot decorate must not let it pass as done.
    public func decorate<Service: Sendable>(
        _ service: Service.Type, name: String?, place: SourcePlace,
        decorator: @escaping @Sendable (any Resolver, Service) throws -> Service
    ) {
        preconditionFailure(
            "\(place): \(type(of: self)) does not implement decorate(_:name:place:decorator:)")
    }

    /// Registers a factory, and says what it asks for, so that mistakes are found before it runs.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Tells several implementations of one service apart; `nil` is the unnamed one.
    ///   - scope: How long what the factory makes is kept.
    ///   - needs: What the factory asks for.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: Makes the implementation. Called on any thread, possibly on several at once.
    public func register<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        needs: [ServiceNeed], fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service
    ) {
        register(
            service, name: name, scope: scope, place: SourcePlace(fileID: fileID, line: line),
            needs: needs, factory: factory, completed: nil)
    }

    /// Registers a factory of objects that need each other: made first, and completed then.
    ///
    /// ```swift
    /// registrar.register((any Parent).self, scope: .graph) { _ in
    ///     Family()
    /// } completed: { resolver, parent in
    ///     parent.child = try resolver.resolve((any Child).self)
    /// }
    /// ```
    ///
    /// What `completed` resolves may come back to the object, in the scopes that keep one. Other
    /// threads do not see it before it is complete. If `completed` throws, nothing of it is kept.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for, such as `(any UserService).self`.
    ///   - name: Tells several implementations of one service apart; `nil` is the unnamed one.
    ///   - scope: How long what the factory makes is kept.
    ///   - needs: What the factory asks for; for what `completed` asks for, see
    ///     ``ServiceNeed/later(_:name:arguments:)``.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - factory: Makes the object. Called on any thread, possibly on several at once.
    ///   - completed: Gives it what it needs, on the same thread.
    public func register<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        needs: [ServiceNeed] = [], fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service,
        completed: @escaping @Sendable (any Resolver, Service) throws -> Void
    ) {
        register(
            service, name: name, scope: scope, place: SourcePlace(fileID: fileID, line: line),
            needs: needs, factory: factory, completed: completed)
    }

    /// Has a service answered by what answers another: the same instance, as the other's scope has it.
    ///
    /// ```swift
    /// registrar.register((any Store).self, scope: .shared) { _ in Files() }
    /// registrar.forward((any Reading).self, to: (any Store).self) { $0 }
    /// ```
    ///
    /// A module's goes to what the module itself registered for the target, if it did, whichever
    /// module the manifest binds the target to.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for.
    ///   - name: The name it is registered under; `nil` is the unnamed one.
    ///   - target: The protocol that is asked for instead.
    ///   - targetName: The name that the target is registered under; `nil` is the unnamed one.
    ///   - arguments: The types of the runtime arguments, in order, which are handed on.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - convert: Makes one of the other. Does not make anything else.
    public func forward<Service: Sendable, Target: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, to target: Target.Type,
        targetName: String? = nil, arguments: repeat (each Argument).Type,
        fileID: StaticString = #fileID, line: UInt = #line,
        convert: @escaping @Sendable (Target) throws -> Service
    ) {
        forward(
            service, name: name, to: target, targetName: targetName,
            place: SourcePlace(fileID: fileID, line: line), arguments: repeat each arguments,
            convert: convert)
    }

    /// Puts something around what this module registers for a service.
    ///
    /// ```swift
    /// registrar.decorate((any UserService).self) { resolver, users in
    ///     CachedUsers(of: users)
    /// }
    /// ```
    ///
    /// Whatever its scope keeps is decorated once. Several are applied in the order in which they are
    /// registered, before or after the service. What other modules register is not decorated: that is
    /// the host's to do.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameters:
    ///   - service: The protocol that others ask for.
    ///   - name: The name it is registered under; `nil` is the unnamed one.
    ///   - fileID: Leave it to its default.
    ///   - line: Leave it to its default.
    ///   - decorator: Is given what was made, and gives what is to be had in its place.
    public func decorate<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        decorator: @escaping @Sendable (any Resolver, Service) throws -> Service
    ) {
        decorate(
            service, name: name, place: SourcePlace(fileID: fileID, line: line),
            decorator: decorator)
    }
}
