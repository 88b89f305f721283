// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesInterface
package import EavesJSON
import Synchronization

/// The registrar that a module is given: it collects what the module registers, so that a container
/// takes over all of it or none.
package final class StagedRegistrar: Registrar, Sendable {
    private let givenSettings: Settings
    private let hasSettingsReader = Atomic(false)
    private let module: String?
    /// The account of the calls of the module's factories, while the module is judged.
    package let account: CallAccount?
    private let staged = Guarded(Staged())

    private struct Staged {
        var registrations: [Registration] = []
        var decorators: [Decorator] = []
        var lifecycles: [any Lifecycle] = []
        var gate: CallGate?

        /// The registrations, those that are not chosen under other keys, and stand-ins.
        func visible(
            where isChosen: (Registration) -> Bool, alsoNamed names: (ServiceRequest) -> [String]
        ) -> [Registration] {
            registrations.map { isChosen($0) ? $0 : $0.asAlternative() }
                + registrations.flatMap { registration in
                    registration.standIns(named: names(registration.request), among: registrations)
                }
        }
    }

    /// - Parameters:
    ///   - module: The id of the module that registers; `nil` for the host itself.
    ///   - account: The account of the calls of the module's factories, until it is closed.
    package init(module: String?, settings: Settings, counting account: CallAccount? = nil) {
        self.module = module
        self.account = account
        givenSettings = settings
    }

    package var settings: Settings {
        hasSettingsReader.store(true, ordering: .relaxed)
        return givenSettings
    }

    /// Whether the module has asked for its settings. It can do so only while it registers.
    package var hasReadSettings: Bool { hasSettingsReader.load(ordering: .relaxed) }

    package var registrations: [Registration] { staged.withLock { $0.registrations } }

    /// The object that begins and ends the module's work; `nil` if the module has given none.
    package func lifecycle() throws(SecondLifecycleError) -> (any Lifecycle)? {
        let given = staged.withLock { $0.lifecycles }
        guard given.count < 2 else {
            throw SecondLifecycleError(types: given.map { "\(type(of: $0))" })
        }
        return given.first
    }

    package var hasDecorators: Bool { staged.withLock { !$0.decorators.isEmpty } }

    /// The gate that counts the calls of what was registered; `nil` if the module has given no life cycle.
    package var gate: CallGate? { staged.withLock { $0.gate } }

    /// Makes everything visible in `container`, all or nothing.
    ///
    /// - Parameters:
    ///   - isChosen: Whether a registration answers requests for its service. The others only answer `resolveAll`.
    ///   - names: The names under which the module answers for a service although it registers it without one.
    package func commit(
        to container: Container, where isChosen: (Registration) -> Bool = { _ in true },
        alsoNamed names: (ServiceRequest) -> [String] = { _ in [] }
    ) throws(RegistrationError) {
        let staged = staged(for: container)
        try container.insert(
            staged.visible(where: isChosen, alsoNamed: names), decorators: staged.decorators)
    }

    /// Makes everything visible in `container`, in the place of everything that the module has registered
    /// there so far, and in the containers that have adopted the module. If it has registered nothing yet,
    /// this is ``commit(to:where:alsoNamed:)``.
    ///
    /// A concurrent resolution sees the earlier registrations or these, never neither. A resolution that
    /// begins after this function has returned gets these. Keys that the host overrides stay overridden.
    ///
    /// - Returns: The instances that the container gives out no more.
    /// - Throws: ``RegistrationError`` if others have registrations with the same keys. Then nothing has changed.
    package func replace(
        in container: Container, where isChosen: (Registration) -> Bool = { _ in true },
        alsoNamed names: (ServiceRequest) -> [String] = { _ in [] }
    ) throws(RegistrationError) -> RetiredInstances {
        guard let module else {
            preconditionFailure("only modules have generations that are exchanged")
        }
        let staged = staged(for: container)
        return try container.replace(
            module: module, by: staged.visible(where: isChosen, alsoNamed: names),
            decorators: staged.decorators)
    }

    /// Everything that was collected, with the gate through which calls of it go.
    private func staged(for container: Container) -> Staged {
        let staged = staged.withLock { $0 }
        if let gate = staged.gate {
            for registration in staged.registrations where registration.door == nil {
                registration.door = gate.door(for: registration.request)
            }
            container.expectGates()
        }
        return staged
    }

    /// Makes everything visible in `container`: the registrations take the place of those that have the
    /// same keys there, and of those that modules register under them later.
    ///
    /// - Returns: The value for `Container.undo(_:)`.
    @discardableResult
    package func override(in container: Container) -> Overriding {
        let staged = staged(for: container)
        return container.override(with: staged.registrations, decorators: staged.decorators)
    }

    // Every module calls this for its feature. Unspecialised code would ask the runtime for the factory's class.
    @specialized(where Service == any Feature)
    package func register<Service: Sendable>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory: @escaping @Sendable (any Resolver) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)?
    ) {
        stage(
            Factory(
                name: options.name, scope: options.scope, module: module, place: options.place,
                traits: RegistrationTraits(needs: options.needs), completed: completed,
                create: counted(factory)))
    }

    private func counted<Service>(
        _ factory: @escaping @Sendable (any Resolver) throws -> Service
    ) -> @Sendable (any Resolver) throws -> Service {
        guard let account else { return factory }
        return { resolver in try account.noting { try factory(resolver) } }
    }

    package func register<Service: Sendable, each Argument>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service,
        completed: (@Sendable (any Resolver, Service) throws -> Void)?
    ) {
        stage(
            Factory(
                name: options.name, scope: options.scope, module: module, place: options.place,
                traits: RegistrationTraits(needs: options.needs), completed: completed,
                calling: ArgumentFactory(counted(factory))))
    }

    private func counted<Service, each Argument>(
        _ factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> Service
    ) -> @Sendable (any Resolver, repeat each Argument) throws -> Service {
        guard let account else { return factory }
        return { (resolver: any Resolver, arguments: repeat each Argument) throws -> Service in
            try account.noting { try factory(resolver, repeat each arguments) }
        }
    }

    package func registerAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory: @escaping @Sendable (any Resolver, repeat each Argument) async throws -> Service,
        completed: (@Sendable (any Resolver, Service) async throws -> Void)?
    ) {
        let awaited = AsyncFactory<Service, repeat each Argument>(
            scope: options.scope, completed: completed
        ) { [account] (resolver: any Resolver, arguments: repeat each Argument) in
            guard let account else { return try await factory(resolver, repeat each arguments) }
            return try await account.notingAsync {
                try await factory(resolver, repeat each arguments)
            }
        }
        stage(awaited, options, arguments: repeat (each Argument).self)
    }

    package func registerOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, _ options: RegistrationOptions,
        factory:
            @escaping @MainActor @Sendable (any Resolver, repeat each Argument) throws
            -> Service,
        completed: (@MainActor @Sendable (any Resolver, Service) throws -> Void)?
    ) {
        let awaited = MainActorFactory<Service, repeat each Argument>(
            scope: options.scope, completed: completed
        ) { [account] (resolver: any Resolver, arguments: repeat each Argument) in
            guard let account else { return try factory(resolver, repeat each arguments) }
            return try account.noting { try factory(resolver, repeat each arguments) }
        }
        stage(awaited, options, arguments: repeat (each Argument).self)
    }

    package func forward<Service: Sendable, Target: Sendable, each Argument>(
        _ service: Service.Type, name: String?, to target: Target.Type, targetName: String?,
        place: SourcePlace, arguments: repeat (each Argument).Type,
        convert: @escaping @Sendable (Target) throws -> Service
    ) {
        let need = ServiceNeed.service(target, name: targetName, arguments: repeat each arguments)
        stage(
            Factory.forwarding(name: name, to: need, module: module, place: place) {
                [module] (resolver: any Resolver, arguments: repeat each Argument) in
                try convert(
                    Container.target(
                        target, name: targetName, of: module, in: nil, resolver,
                        repeat each arguments))
            })
    }

    package func decorate<Service: Sendable>(
        _ service: Service.Type, name: String?, place: SourcePlace,
        decorator: @escaping @Sendable (any Resolver, Service) throws -> Service
    ) {
        let decorator = ServiceDecorator<Service>(
            name: name, module: module, place: place, decorate: decorator)
        staged.withLock { $0.decorators.append(decorator) }
    }

    package func lifecycle(_ lifecycle: any Lifecycle) {
        staged.withLock { staged in
            staged.lifecycles.append(lifecycle)
            if staged.gate == nil {
                staged.gate = CallGate(keepsState: lifecycle is any StateHandover)
            }
        }
    }

    private func stage<Awaited: AwaitedFactory, each Argument>(
        _ factory: Awaited, _ options: RegistrationOptions, arguments: repeat (each Argument).Type
    ) {
        stage(
            Factory<Awaited.Service>(
                options, module: module, awaiting: factory, arguments: repeat each arguments))
    }

    private func stage(_ registration: Registration) {
        staged.withLock { $0.registrations.append(registration) }
    }
}

/// A module gave more than one object that begins and ends its work.
package struct SecondLifecycleError: Error, Hashable, Sendable, Diagnosable {
    let types: [String]

    package var diagnostic: Diagnostic {
        Diagnostic(
            "registers \(types.count) life cycles, and a module has one: "
                + types.joined(separator: ", "),
            fix: "call 'lifecycle' once, with an object that starts and stops the others",
            code: .badData)
    }
}

// The host registers as modules do, with `module` being `nil`.
extension Container {
    package func register<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver) throws -> Service
    ) throws(RegistrationError) {
        let place = SourcePlace(fileID: fileID, line: line)
        try insert([Factory(name: name, scope: scope, module: nil, place: place, create: factory)])
    }

    /// Registers as the host's own whatever `collect` registers, all or nothing.
    ///
    /// This is the way to everything beyond a simple factory: declared needs, completion, runtime arguments, awaited
    /// factories, forwardings, and decorators, which the host can put around services of any module.
    package func register(_ collect: (any Registrar) -> Void) throws(RegistrationError) {
        let registrar = StagedRegistrar(module: nil, settings: Settings())
        collect(registrar)
        try registrar.commit(to: self)
    }
}

extension Settings {
    /// The settings in a manifest's entry.
    package init(_ members: [JSON.Member], directory: String, places: [String: String] = [:]) {
        self.init(Self.table(members), directory: directory)
        self.places = places
        text = { JSON.object(members).text(pretty: false) }
    }

    private static func table(_ members: [JSON.Member]) -> [String: Value] {
        Dictionary(members.map { ($0.name, value($0.value)) }) { _, last in last }
    }

    private static func value(_ json: JSON) -> Value {
        switch json {
        case .null: .null
        case .bool(let bool): .bool(bool)
        case .integer(let integer):
            Double(exactly: integer).map(Value.number) ?? .digits(String(integer))
        case .number(let numeral):
            numeral.isReal ? .number(numeral.real) : .digits(numeral.text)
        case .string(let text): .string(text)
        case .array(let elements): .list(elements.map(value))
        case .object(let members): .table(table(members))
        }
    }
}
