// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesManifest

extension ModuleGraph {
    /// Draws how the modules of a manifest fit together.
    package init(_ wiring: Wiring, showing parts: Set<GraphPart> = Set(GraphPart.allCases)) {
        var sketch = Sketch(wiring, parts)
        for module in wiring.modules { sketch.draw(module) }
        if parts.contains(.services) {
            for binding in wiring.bindings {
                for service in wiring.services(of: binding) { sketch.draw(binding, of: service) }
            }
        }
        if parts.contains(.routes) {
            for route in wiring.routes.keys { sketch.draw(route: route) }
        }
        self.init(nodes: sketch.nodes.values, edges: sketch.edges)
    }
}

private struct Sketch {
    private let wiring: Wiring
    private let parts: Set<GraphPart>
    private let needs: NeedsGraph<WiredModule>
    private(set) var nodes: [NodeID: ModuleGraph.Node] = [:]
    /// The services that a module wants of another, by the edge that is to have their names; none for other edges.
    private var services: [ModuleGraph.Edge: [String]] = [:]

    init(_ wiring: Wiring, _ parts: Set<GraphPart>) {
        self.wiring = wiring
        self.parts = parts
        needs = NeedsGraph(from: wiring.activeModules, id: \.id) { module in
            module.requires.flatMap { wiring.choice(of: $0).chosen }.compactMap(wiring.module)
        }
    }

    // MARK: Modules

    mutating func draw(_ module: WiredModule) {
        if module.isInterface, !parts.contains(.interfaces) { return }
        let id = add(module)
        if parts.contains(.features) {
            for feature in module.features {
                let key = "\(module.id) \(feature.name)"
                let node = add(.feature, key, feature.name, in: module.layer)
                connect(id, node, .offers, module.isActive ? .bound : .unbound)
            }
        }
        if parts.contains(.interfaces) {
            for interface in module.interfaces {
                let (node, isThere) = addInterface(interface)
                connect(id, node, .names, isThere ? .bound : .missing)
            }
        }
        for provision in module.provides
        where parts.contains(provision.isRoute ? .routes : .services) {
            connect(id, add(provision), .provides, state(of: provision, by: module))
        }
        let asked = module.asks.filter { service in
            !module.provides.contains { $0.service == service }
        }
        guard parts.contains(.services) else {
            for service in module.requires { drawUse(of: service, by: module, id, .requires) }
            for service in asked { drawUse(of: service, by: module, id, .asks) }
            return
        }
        for service in module.requires {
            let state = state(ofNeed: service, by: module)
            for node in addNeed(service) { connect(id, node, .requires, state) }
        }
        for service in asked {
            for node in addImplementations(of: service) { connect(id, node, .asks, .bound) }
        }
    }

    /// Draws an edge to each module that a module gets when it asks for a service. A service of the program itself leads to no
    /// module.
    private mutating func drawUse(
        of service: String, by module: WiredModule, _ id: NodeID, _ kind: EdgeKind
    ) {
        let (providers, choice) = (
            wiring.providers(of: service).map(\.id), wiring.choice(of: service)
        )
        if choice == .host { return }
        if choice == .missing { return connect(id, addService(service), kind, .missing) }
        let chosen = choice == .named ? providers : choice.candidates
        let state = state(ofNeed: service, by: module)
        for provider in chosen { use(service, of: provider, by: id, kind, state) }
        guard parts.contains(.implementations) else { return }
        for provider in providers where !chosen.contains(provider) {
            use(service, of: provider, by: id, kind, .unbound)
        }
    }

    private mutating func use(
        _ service: String, of provider: String, by user: NodeID, _ kind: EdgeKind,
        _ state: EdgeState
    ) {
        let target = NodeID(kind: .module, key: provider)
        if user == target { return }
        let binding = wiring.bindings.first {
            $0.key.name == nil && wiring.services(of: $0).contains(service)
        }
        let weights = binding?.weights
        let share =
            weights?.weight(of: provider).map { " \($0) of \(weights?.total ?? 0)" } ?? ""
        connect(user, target, kind, state, for: [wiring.names.shown(service) + share])
    }

    var edges: [ModuleGraph.Edge] {
        services.map { edge, services in
            var edge = edge
            edge.services = services
            return edge
        }
    }

    private mutating func add(_ module: WiredModule) -> NodeID {
        let state = module.entry.state
        return add(
            module.isInterface ? .interface : .module, module.id, module.id, in: module.layer,
            remark: state == .ready ? nil : state.rawValue, isUsable: module.entry.isAvailable)
    }

    private mutating func addInterface(_ id: String) -> (node: NodeID, isThere: Bool) {
        if let module = wiring.module(id) { return (add(module), module.entry.isAvailable) }
        let isLinked = wiring.program.hasInterface(id)
        let node = add(
            .interface, id, id, in: isLinked ? .interface : nil,
            remark: isLinked ? "in the program" : "missing", isUsable: isLinked)
        return (node, isLinked)
    }

    // MARK: Services

    private mutating func add(_ provision: Provision) -> NodeID {
        guard let name = provision.name else { return addService(provision.service) }
        let shown = wiring.names.shown(provision.service)
        return add(
            provision.isRoute ? .route : .service, "\(provision.service) \(name)",
            provision.isRoute ? name : "\(shown) '\(name)'", in: .interface)
    }

    private mutating func addService(_ service: String) -> NodeID {
        let isProvided = !wiring.providers(of: service).isEmpty
        let isOfProgram = wiring.program.provides(.service(service, name: nil))
        return add(
            .service, service, wiring.names.shown(service), in: isProvided ? .interface : nil,
            remark: isOfProgram ? "of the program" : isProvided ? nil : "missing",
            isUsable: isOfProgram || isProvided)
    }

    /// The nodes of all names of a service: the binary does not show which of them a module asks for.
    private mutating func addImplementations(of service: String) -> [NodeID] {
        let provisions = wiring.providers(of: service).flatMap(\.provides)
            .filter { $0.service == service }
        return provisions.isEmpty ? [addService(service)] : provisions.map { add($0) }
    }

    /// The nodes that a module needs which requires a service: all names of it, if it has no other implementation.
    private mutating func addNeed(_ service: String) -> [NodeID] {
        wiring.choice(of: service) == .named
            ? addImplementations(of: service) : [addService(service)]
    }

    private func state(of provision: Provision, by module: WiredModule) -> EdgeState {
        guard module.entry.isAvailable else { return .unbound }
        return switch wiring.choice(of: provision.service, name: provision.name) {
        case .modules(let ids): ids.contains(module.id) ? .bound : .unbound
        case .ambiguous: .ambiguous
        case .host, .named, .missing: .unbound
        }
    }

    /// - Parameter module: The module that needs the service; `nil` for a route.
    private func state(ofNeed service: String, by module: WiredModule? = nil) -> EdgeState {
        switch wiring.choice(of: service) {
        case .modules(let ids):
            ids.contains { needs.areInCircle(module?.id ?? "", $0) } ? .cyclic : .bound
        case .host, .named: .bound
        case .missing: .missing
        case .ambiguous: .ambiguous
        }
    }

    // MARK: Bindings and routes

    mutating func draw(_ binding: Binding, of service: String) {
        let name = binding.key.name
        let node = add(Provision(service: service, name: name))
        for id in binding.modules {
            let module = wiring.module(id)
            let isProvided =
                module.map { $0.entry.isAvailable && $0.answers(service, boundAs: name) } ?? false
            let weight = binding.weights?.weight(of: id)
            var edge = ModuleGraph.Edge(
                from: node,
                to: module.map { add($0) }
                    ?? add(.module, id, id, in: nil, remark: "missing", isUsable: false),
                kind: .binds,
                state: !isProvided ? .missing : weight == 0 ? .unbound : .bound)
            if let weight, let total = binding.weights?.total {
                edge.share = ModuleGraph.Share(weight: weight, total: total)
            }
            services[edge] = []
        }
    }

    mutating func draw(route: String) {
        let node = add(.route, route, wiring.names.shown(route), in: .interface)
        for opener in wiring.openers(of: route) { connect(add(opener), node, .opens, .bound) }
        guard let factory = RouteRule.factory(of: route), wiring.declares(factory) else { return }
        if parts.contains(.services) {
            for target in addNeed(factory) {
                connect(node, target, .leads, state(ofNeed: factory))
            }
        } else {
            for id in wiring.choice(of: factory).candidates {
                connect(node, NodeID(kind: .module, key: id), .leads, state(ofNeed: factory))
            }
        }
    }

    // MARK: Parts

    private mutating func add(
        _ kind: NodeID.Kind, _ key: String, _ name: String, in layer: Layer?,
        remark: String? = nil, isUsable: Bool = true
    ) -> NodeID {
        let id = NodeID(kind: kind, key: key)
        nodes[id] = ModuleGraph.Node(
            id: id, name: name, layer: layer, remark: remark, isUsable: isUsable)
        return id
    }

    private mutating func connect(
        _ from: NodeID, _ to: NodeID, _ kind: EdgeKind, _ state: EdgeState,
        for wanted: [String] = []
    ) {
        let edge = ModuleGraph.Edge(from: from, to: to, kind: kind, state: state)
        services[edge, default: []] += wanted
    }
}
