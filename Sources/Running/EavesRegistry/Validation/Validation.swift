// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesInterface

extension Container {
    /// Finds every mistake among the declared needs of what is registered here and in the parents.
    ///
    /// - A need that nothing provides, unless it is optional, or that several modules provide while none is chosen.
    /// - Needs that form a cycle. Needs that are resolved later do not count, and neither do needs of
    ///   factories with runtime arguments.
    /// - A need that is transient, of the graph scope, or of another named scope, and that an object in
    ///   the shared scope or in a named one keeps. It is not a mistake if the need is declared as the
    ///   object's own, or takes runtime arguments.
    ///
    /// Only declared needs are known. Nothing is loaded or created.
    ///
    /// - Parameter isProvided: Whether a service that is not registered yet will be when it is asked for.
    /// - Returns: In the order of modules and places, whatever the order of registration.
    package func validate(
        providing isProvided: @escaping (ServiceRequest) -> Bool = { _ in false }
    ) -> [ValidationProblem] {
        Validation(self, isProvided: isProvided).problems
    }
}

struct Validation {
    private let isProvided: (ServiceRequest) -> Bool
    /// All registrations in a fixed order, each with those that it can see.
    private let registrations: [(registration: Registration, visible: [Registration])]

    init(_ container: Container, isProvided: @escaping (ServiceRequest) -> Bool) {
        self.isProvided = isProvided
        let contents = container.lineage.map(\.registrations)
        registrations = contents.indices.flatMap { index -> [(Registration, [Registration])] in
            let visible = Array(contents[index...].joined())
            return contents[index].map { ($0, visible) }
        }
        .sorted { $0.0.order < $1.0.order }
    }

    /// All problems: first those of single needs in the order of modules and places, then the cycles.
    var problems: [ValidationProblem] {
        registrations.flatMap { registration, visible in
            registration.traits.needs.compactMap { problem($0, registration, visible) }
        } + cycles
    }

    private func problem(
        _ need: ServiceNeed, _ registration: Registration, _ visible: [Registration]
    ) -> ValidationProblem? {
        if let found = provider(of: need, registration, visible) {
            let isCaptive =
                need.use == .kept && registration.traits.target == nil
                && registration.outlives(behind(found, visible))
            return isCaptive ? .captive(behind(found, visible), of: registration) : nil
        }
        let alternatives = visible.filter { $0.answers(need) && $0.traits.isAlternative }
        if alternatives.count > 1 {
            return .ambiguous(
                need, for: registration,
                providers: alternatives.sorted { $0.order < $1.order })
        }
        if need.isOptional || isProvided(need.request) { return nil }
        let candidates = Candidates(wanted: need.request, type: need.service.type)
        return .missing(need, for: registration, candidates: candidates.lines(among: visible))
    }

    /// The registration that would answer: the nearest container's. A forwarding prefers its own module's.
    private func provider(
        of need: ServiceNeed, _ registration: Registration, _ visible: [Registration]
    ) -> Registration? {
        let answering = visible.filter { $0.answers(need) }
        if registration.traits.target == need,
            let own = answering.first(where: { $0.module == registration.module })
        {
            return own
        }
        return answering.first { !$0.traits.isAlternative }
    }

    /// The registration that remains after following forwardings.
    private func behind(_ registration: Registration, _ visible: [Registration]) -> Registration {
        var found = registration
        // Forwardings may form a cycle, so this takes no more steps than there are registrations.
        for _ in visible.indices {
            guard let target = found.traits.target,
                let next = provider(of: target, found, visible)
            else { break }
            found = next
        }
        return found
    }

    /// A problem for each need that closes a cycle. With runtime arguments a cycle may be meant.
    private var cycles: [ValidationProblem] {
        var walk = CycleWalk()
        for (registration, visible) in registrations {
            let needs = registration.traits.needs.filter { $0.use != .later }
            walk.needs[ObjectIdentifier(registration)] =
                registration.traits.arguments.isEmpty
                ? needs.compactMap { provider(of: $0, registration, visible) } : []
        }
        for (registration, _) in registrations { walk.visit(registration) }
        return walk.cycles.map { .cycle($0) }
    }

    private struct CycleWalk {
        var needs: [ObjectIdentifier: [Registration]] = [:]
        private(set) var cycles: [[Registration]] = []
        private var path: [Registration] = []
        private var seen: Set<ObjectIdentifier> = []

        mutating func visit(_ registration: Registration) {
            if let start = path.firstIndex(where: { $0 === registration }) {
                cycles.append(Array(path[start...]))
            }
            guard seen.insert(ObjectIdentifier(registration)).inserted else { return }
            path.append(registration)
            for need in needs[ObjectIdentifier(registration)] ?? [] { visit(need) }
            path.removeLast()
        }
    }
}

extension Registration {
    fileprivate func answers(_ need: ServiceNeed) -> Bool {
        service == need.service && request.name == need.name
            && traits.arguments == need.arguments
    }

    /// Whether it keeps for good what others get anew. Runtime arguments mean an instance of its own. A
    /// logger is as good for one call as for ever, and a shared one would have another module's id.
    fileprivate func outlives(_ held: Registration) -> Bool {
        if held.service == ObjectIdentifier(Logger.self) { return false }
        guard ![.transient, .graph, .weak].contains(scope), held.traits.arguments.isEmpty else {
            return false
        }
        return held.scope != .shared && held.scope != .weak && held.scope != scope
    }

    fileprivate var order: (String, String, UInt, String) {
        (module ?? "", place.fileID, place.line, request.description)
    }
}

package enum ValidationProblem: Error, Sendable, Diagnosable, CustomStringConvertible {
    /// No registration provides a need. The candidates come close to it, a line each.
    case missing(ServiceNeed, for: Registration, candidates: [String])
    /// Several modules provide a need, and none of them is chosen.
    case ambiguous(ServiceNeed, for: Registration, providers: [Registration])
    /// Each registration needs the next one, and the last one needs the first.
    case cycle([Registration])
    /// An object keeps another one that others get anew.
    case captive(Registration, of: Registration)

    package var diagnostic: Diagnostic {
        switch self {
        case .missing(let need, let registration, let candidates):
            Diagnostic(
                "\(registration) needs \(need.request), which has no provider"
                    + candidates.map { "\n  registered: \($0)" }.joined(),
                fix: "register it, or add a module that provides it", code: .noProvider)
        case .ambiguous(let need, let registration, let providers):
            Diagnostic(
                "\(registration) needs \(need.request), which several modules provide, and none is "
                    + "chosen: " + providers.map(\.description).joined(separator: ", "),
                fix: "choose one: "
                    + providers.compactMap(\.module)
                    .map { "'eaves swap \(need.request.service) \($0)'" }
                    .joined(separator: " or "), code: .configuration)
        case .cycle(let path):
            Diagnostic(
                "\(path[0].request) is needed to create itself: "
                    + (path + [path[0]]).map(\.description).joined(separator: " → "),
                fix: "break the circle: let one of them resolve later", code: .configuration)
        case .captive(let held, let registration):
            Diagnostic(
                "\(registration) is \(registration.scope.name), and keeps \(held), which is "
                    + held.scope.name,
                fix:
                    "ask for it when it is used, through a provider; or declare the need as 'own', "
                    + "if an instance of its own is meant", code: .configuration)
        }
    }

    package var description: String { diagnostic.message }
}
