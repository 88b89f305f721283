// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDeclaration
package import EavesManifest
import Synchronization

/// The wiring of a manifest's modules: who provides, asks for, and is bound to what. It is made from
/// declarations, the manifest and the symbols of the binaries; no code of a module runs.
package struct Wiring: Sendable {
    let manifest: Manifest
    let program: WiredProgram
    /// The modules that ids stand for. Sorted by id.
    let modules: [WiredModule]
    var bindings: [Binding] { manifest.bindings }
    let names: ServiceNames
    /// The routes that interface modules declare: the qualified name, and the interface's id.
    let routes: [String: String]
    /// The qualified names of the protocols of interface modules.
    private let protocols: Set<String>
    /// The names of the services that modules provide.
    private let services: Set<String>
    private let answers: Answers
    private let indexByID: [String: Int]
    /// The services that a declaration of an interface can lead to, by its qualified name: those that its
    /// members mention.
    private let companions: [String: Set<String>]
    /// The Swift modules whose protocols the modules that are not built can refer to; `nil` if the audit cannot
    /// know them, because an interface module is not built either: its note would name the Swift module.
    private var usedByUnbuilt: Set<String>? = []

    package init(_ catalog: Catalog, of manifest: Manifest, in program: WiredProgram) {
        let read = catalog.entries.filter(\.isUsed).map { ($0, BinaryMentions(of: $0)) }
        let declarations = read.compactMap { $0.0.declaration }
        let provided = declarations.flatMap { $0.provides.map(\.service) }
        let protocols = Self.protocols(of: read.map(\.0))
        routes = protocols.filter { RouteRule.isRoute($0.key) }
        let names = ServiceNames(
            provided + declarations.flatMap(\.requires) + routes.keys, protocols: protocols.keys)
        let services = Set(provided.map(names.canonical))
        self.protocols = Set(protocols.keys)
        self.services = services
        self.manifest = manifest
        self.program = program
        self.names = names
        modules = read.map { WiredModule($0, $1, names, services: services) }
        answers = Answers(of: catalog, in: program)
        indexByID = Dictionary(
            modules.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        companions = modules.filter(\.isInterface).compactMap { $0.mentions?.companions }
            .reduce(into: [:]) { all, found in all.merge(found) { $0.union($1) } }
        let unbuilt = unbuiltModules.compactMap(module)
        let used = interfaces(namedBy: unbuilt).union(unbuilt.filter(\.isInterface).map(\.id))
            .filter { !program.hasInterface($0) }
            .map { module($0)?.entry.declaration?.interface?.module }
        usedByUnbuilt = used.contains(nil) ? nil : Set(used.compactMap { $0 })
    }

    /// The protocols of the interface modules that are switched on: the qualified names, and the modules' ids.
    private static func protocols(of entries: [CatalogEntry]) -> [String: String] {
        let named = entries.filter(\.isEnabled).flatMap { entry in
            let content = entry.declaration?.interface
            return (content?.protocols ?? []).map { ("\(content?.module ?? "").\($0)", entry.id) }
        }
        return Dictionary(named, uniquingKeysWith: { first, _ in first })
    }

    func module(_ id: String) -> WiredModule? { indexByID[id].map { modules[$0] } }

    /// The modules that take part. Sorted by id.
    var activeModules: [WiredModule] { modules.filter(\.isActive) }

    /// The active modules that declare an implementation of a service, under whatever names.
    func providers(of service: String) -> [WiredModule] {
        activeModules.filter { module in module.provides.contains { $0.service == service } }
    }

    /// Whether an interface module has a protocol of this qualified name.
    func declares(_ service: String) -> Bool { protocols.contains(service) }

    /// The canonical names of the services that a binding is about. A binding of a word that several services have is
    /// about those that its modules provide.
    func services(of binding: Binding) -> [String] {
        let meanings = names.meanings(of: binding.service)
        let provided =
            meanings.count < 2
            ? []
            : meanings.filter { service in
                binding.modules.contains { module($0)?.provides(service) == true }
            }
        return provided.isEmpty ? [names.canonical(binding.service)] : provided
    }

    /// The modules that answer a request for a service.
    func choice(of service: String, name: String? = nil) -> Providers {
        answers.providers(of: .service(service, name: name))
    }

    /// The modules that answer for a service under a name that they need not know, because the manifest binds
    /// the name to them.
    func namedChoices(of service: String) -> Set<String> {
        let named = bindings.filter { $0.key.name != nil && services(of: $0).contains(service) }
        return Set(named.flatMap { choice(of: service, name: $0.key.name).candidates })
    }

    /// The services that a module can reach through the interfaces that it uses, without naming them
    /// itself: those of the routes that it opens, and those that helpers of the interfaces may ask for.
    func servicesBehind(_ module: WiredModule) -> Set<String> {
        guard let mentions = module.mentions, !module.isInterface else { return [] }
        let helping = helpers(of: module)
        let helped = services.union(module.requires).filter { service in
            let isOfProgram = program.knows(service)
            return helping.contains { $0.mentions?.mentions(service) ?? true }
                || isOfProgram && mentions.equipped.contains(ServiceName.module(service) ?? "")
        }
        return mentions.needed.reduce(into: helped) { found, name in
            found.formUnion(companions[name] ?? [])
            if let factory = RouteRule.factory(of: name) { found.insert(factory) }
        }
    }

    /// The interface modules whose code may ask for services while it works for a module, which it gets a resolver from,
    /// or whose routes the module opens. The module's binary does not show which services these are.
    private func helpers(of module: WiredModule) -> [WiredModule] {
        NeedsGraph(from: [module], id: \.id) { user in
            guard let mentions = user.mentions else { return [] }
            return interfaces(namedBy: [user]).sorted().compactMap(self.module).filter { helper in
                guard let content = helper.entry.declaration?.interface else { return true }
                // Properties that are injected ask without a resolver.
                let injects = helper.mentions?.needed.contains("EavesInterface.Injected") ?? true
                return mentions.equipped.contains(content.module)
                    || mentions.needed.contains { name in
                        ServiceName.module(name) == content.module
                            && (injects || RouteRule.isRoute(QualifiedNames.declaration(name)))
                    }
            }
        }.modules.filter { $0.id != module.id && $0.mentions?.resolves ?? true }
    }

    /// The modules that open a route. A feature that only mentions it counts: the compiler may have put the
    /// call of the route's own code in its place.
    func openers(of route: String) -> [WiredModule] {
        activeModules.filter { module in
            guard let mentions = module.mentions, !module.isInterface else { return false }
            return mentions.asks(for: route) || mentions.calls(route)
                || (mentions.needed.contains(route)
                    && (module.layer == .feature || !mentions.implements(route)))
        }
    }

    /// The ids of the interface modules that modules name, and that those name in turn.
    func interfaces(namedBy modules: [WiredModule]) -> Set<String> {
        NeedsGraph(from: modules.flatMap(\.interfaces), id: { $0 }) { id in
            module(id)?.interfaces ?? []
        }.ids
    }

    /// Whether code that the audit cannot look at may refer to a protocol: that of the program, or of a module
    /// that is not built and names the interface of the protocol.
    func mayBeUsedUnseen(_ name: String) -> Bool {
        if program.knows(name) { return true }
        guard let usedByUnbuilt else { return true }
        return ServiceName.module(name).map(usedByUnbuilt.contains) ?? !usedByUnbuilt.isEmpty
    }

    /// The ids of active modules whose binaries ought to tell what they ask for, and cannot be read.
    var unreadModules: [String] { modules.filter(\.isUnread).map(\.id) }

    /// The ids of active modules whose sources are here, and that have no file yet.
    var unbuiltModules: [String] {
        modules.filter { $0.isUnbuilt && !program.hasInterface($0.id) }.map(\.id)
    }
}

extension Providers {
    var chosen: [String] {
        if case .modules(let ids) = self { ids } else { [] }
    }

    /// The ids of the modules that it may be.
    var candidates: [String] {
        switch self {
        case .host, .named, .missing: []
        case .modules(let ids), .ambiguous(let ids): ids
        }
    }
}

/// The catalog's answers. It decides about each service once, and the picture and the audit ask several times.
private final class Answers: Sendable {
    private let catalog: Catalog
    private let program: WiredProgram
    /// By the keys of the capabilities.
    private let known = Mutex<[String: Providers]>([:])

    init(of catalog: Catalog, in program: WiredProgram) {
        self.catalog = catalog
        self.program = program
    }

    func providers(of capability: Capability) -> Providers {
        if program.provides(capability) { return .host }
        return known.withLock { known in
            if let answer = known[capability.key] { return answer }
            let answer = catalog.providers(of: capability)
            known[capability.key] = answer
            return answer
        }
    }
}

/// The part that the program itself plays: the services that it provides, and the interfaces that it has
/// linked in, whose services it may ask for.
package struct WiredProgram: Sendable {
    let provides: @Sendable (Capability) -> Bool
    private let interfaces: [ProgramInterface]

    package init(
        interfaces: [ProgramInterface] = [],
        providing provides: @escaping @Sendable (Capability) -> Bool = { _ in false }
    ) {
        self.interfaces = interfaces
        self.provides = provides
    }

    func hasInterface(_ id: String) -> Bool { interfaces.contains { $0.id == id } }

    /// Whether the program's own code can ask for a service.
    func knows(_ service: String) -> Bool {
        interfaces.contains { $0.stamp.module == ServiceName.module(service) }
    }
}

/// A module with the services that it provides and asks for. All names of services are canonical.
package struct WiredModule: Sendable {
    package let entry: CatalogEntry
    let mentions: BinaryMentions?
    let provides: [Provision]
    let requires: [String]
    /// The services that it does not declare to require and that its binary asks for: optional ones, and
    /// those that it asks for later.
    let asks: [String]

    var id: String { entry.id }
    var layer: Layer? { entry.declaration?.layer }
    var isInterface: Bool { layer == .interface }
    /// Whether the module takes part: it is switched on, and it is known what it declares.
    var isActive: Bool { entry.isEnabled && entry.declaration != nil }
    var interfaces: [String] { entry.declaration?.interfaces.map(\.id) ?? [] }
    var features: [FeatureDeclaration] { entry.declaration?.features ?? [] }
    var needs: [String] { requires + asks }

    var isUnbuilt: Bool { isActive && entry.status == nil && entry.source != nil }

    /// Whether the module's file is here and ought to tell what the module asks for, and cannot be read.
    var isUnread: Bool {
        guard isActive, !isUnbuilt, !isInterface, mentions == nil else { return false }
        // A module in another language has no symbols that speak of services.
        return entry.note.map { $0.tag.compiler != nil } ?? true
    }

    func provides(_ service: String, name: String? = nil) -> Bool {
        provides.contains { $0.service == service && $0.name == name }
    }

    /// Whether the module can answer for a binding: a named one also takes the implementation without a name.
    func answers(_ service: String, boundAs name: String?) -> Bool {
        provides(service, name: name) || provides(service)
    }

    init(
        _ entry: CatalogEntry, _ mentions: BinaryMentions?, _ names: ServiceNames,
        services: Set<String>
    ) {
        self.entry = entry
        self.mentions = mentions
        let declaration = entry.declaration
        let provides = (declaration?.provides ?? []).map { provision in
            var provision = provision
            provision.service = names.canonical(provision.service)
            return provision
        }
        let requires = (declaration?.requires ?? []).map(names.canonical)
        self.provides = provides
        self.requires = requires
        asks =
            entry.declaration?.layer == .interface
            ? []
            : services.filter { service in
                guard let mentions, !requires.contains(service) else { return false }
                let isOwn = provides.contains { $0.service == service }
                return isOwn ? mentions.calls(service) : mentions.asks(for: service)
            }.sorted()
    }
}

/// The rule that tells which declarations are routes, ways from one screen to another.
///
/// An interface module declares a route as a protocol whose name ends in `Route`, such as `HomeRoute`; the
/// factory of the screen that it leads to is the protocol `HomeFactory` of the same interface. A module
/// declares a screen that links lead to, known only at run time, as a named `Destination` under `provides`.
enum RouteRule {
    private static let (route, factory) = ("Route", "Factory")

    static func isRoute(_ name: String) -> Bool {
        let word = ServiceName.word(name)
        return word.hasSuffix(route) && word != route
    }

    /// The factory that a route of this name leads to, if its interface has one.
    static func factory(of name: String) -> String? {
        isRoute(name) ? name.dropLast(route.count) + factory : nil
    }

    /// The route that leads to a factory of this name, if its interface has one.
    static func route(to name: String) -> String? {
        let word = ServiceName.word(name)
        guard word.hasSuffix(factory), word != factory else { return nil }
        return name.dropLast(factory.count) + route
    }
}

extension Provision {
    /// Whether it is a screen that links can open by its name.
    var isRoute: Bool { name != nil && ServiceName.word(service) == "Destination" }
}
