// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
import EavesELF

/// Finds out for one module after the other whether it can have the interfaces that it names, and may name
/// them. It looks up each interface once, however many modules name it.
struct InterfaceCheck {
    private let linked: [ProgramInterface]
    private let find: (String) -> CatalogEntry?
    private let known: () -> [String]
    /// The modules that others name as their interfaces, with their own problems with interfaces.
    private var checked: [String: CatalogEntry?] = [:]
    /// The protocols of interface modules, by the modules' ids; `nil` for a file that cannot be read.
    private var protocols: [String: InterfaceProtocols?] = [:]
    private var layers: [String: Layer?] = [:]

    /// - Parameters:
    ///   - linked: The interfaces that the program has linked in, which go before files.
    ///   - find: The used module of an id. Its interfaces need not be checked yet.
    ///   - known: The ids of all interface modules, for the message about one that is not there.
    init(
        linked: [ProgramInterface], find: @escaping (String) -> CatalogEntry?,
        known: @escaping () -> [String]
    ) {
        self.linked = linked
        self.find = find
        self.known = known
    }

    /// Returns the same modules. Each one that cannot have an interface gets the problem `interfaces`.
    mutating func applied(to entries: [CatalogEntry]) -> [CatalogEntry] {
        var entries = entries
        for index in entries.indices { apply(to: &entries[index]) }
        return entries
    }

    /// Sets the problem `interfaces` of a module that cannot have an interface which it names.
    ///
    /// A module that a build makes ready keeps its problem if that build gives it its interfaces too.
    mutating func apply(to entry: inout CatalogEntry) {
        guard let declaration = entry.declaration, !declaration.interfaces.isEmpty, entry.isEnabled,
            entry.isAvailable || entry.lacksInterfaces
        else { return }
        var problems = problems(of: declaration.interfaces, for: declaration)
        if problems.isEmpty { problems = otherRequirements(of: entry, declaration.interfaces) }
        guard !problems.isEmpty else { return }
        let isMended = problems.allSatisfy { $0.isMended(byBuilding: entry) }
        if entry.problem == nil || entry.lacksInterfaces || !isMended {
            entry.problem = .interfaces(problems)
        }
    }

    mutating func problems(
        of needs: [InterfaceNeed], for user: ModuleDeclaration
    ) -> [InterfaceProblem] {
        var problems: [InterfaceProblem] = []
        for need in needs {
            do throws(InterfaceProblem) {
                let interface = try found(need.id)
                if let owner = foreignOwner(of: interface, for: user) {
                    throw .owned(need.id, owner)
                }
                try interface.checkUse()
                if let built = need.built { try interface.check(built, for: need.id) }
            } catch {
                problems.append(error)
            }
        }
        return problems
    }

    /// Whether a module implements, of the protocols of some interfaces, exactly the requirements that these have. If
    /// not, only the files show what that means.
    mutating func fits(_ implemented: [ProtocolDigest], _ needs: [InterfaceNeed]) -> Bool {
        needs.allSatisfy { need in
            guard case .module(let interface)? = try? found(need.id) else { return true }
            return implemented.allSatisfy(interface.protocols.fits)
        }
    }

    /// The requirements of interfaces that a module does not implement, and that have no default: a call of one of
    /// them would lead nowhere. And those that it implements and that are gone.
    private mutating func otherRequirements(
        of entry: CatalogEntry, _ needs: [InterfaceNeed]
    ) -> [InterfaceProblem] {
        // A host that loads a file which cannot be read refuses it, with the reason.
        needs.filter { !fits(entry.protocols.implemented, [$0]) }.compactMap { need in
            guard let stamp = need.built, case .module(let interface)? = try? found(need.id),
                let conformances = try? SwiftConformance.all(in: entry.loadedFile, to: [stamp]),
                let protocols = protocols(of: interface)
            else { return nil }
            let lacking = protocols.requirements(lackingIn: conformances)
            let gone = protocols.requirements(goneFor: conformances)
            return lacking.isEmpty && gone.isEmpty
                ? nil
                : .otherRequirements(need.id, lacking: lacking, gone: gone, path: interface.path)
        }
    }

    private mutating func protocols(of interface: CatalogEntry) -> InterfaceProtocols? {
        if let known = protocols[interface.id] { return known }
        let found = interface.declaration?.interfaceStamp.flatMap {
            try? InterfaceProtocols(of: interface.loadedFile, $0)
        }
        protocols[interface.id] = .some(found)
        return found
    }

    mutating func interface(_ id: String) throws(InterfaceProblem) -> FoundInterface {
        let interface = try found(id)
        try interface.checkUse()
        return interface
    }

    /// The same, also if it cannot be used as it is.
    private mutating func found(_ id: String) throws(InterfaceProblem) -> FoundInterface {
        if let linked = linked.first(where: { $0.id == id }) { return .linked(linked) }
        guard let entry = module(id) else {
            throw .missing(id, known: known() + linked.map(\.id))
        }
        if let layer = entry.declaration?.layer, layer != .interface { throw .noInterface(entry) }
        return .module(entry)
    }

    // MARK: Owners

    mutating func foreignOwner(of id: String, for user: ModuleDeclaration) -> ForeignOwner? {
        (try? found(id)).flatMap { foreignOwner(of: $0, for: user) }
    }

    private mutating func foreignOwner(
        of interface: FoundInterface, for user: ModuleDeclaration
    ) -> ForeignOwner? {
        guard let owner = interface.owner else { return nil }
        return LayerRule.foreignOwner(owner, for: user) { layer(of: $0) }
    }

    mutating func isOwn(_ service: String, of user: ModuleDeclaration) -> Bool {
        user.interfaces.contains { need in
            guard let interface = try? found(need.id), interface.owner == user.id else {
                return false
            }
            return interface.has(service)
        }
    }

    private mutating func layer(of id: String) -> Layer? {
        if let known = layers[id] { return known }
        let layer = find(id)?.declaration?.layer
        layers[id] = .some(layer)
        return layer
    }

    private mutating func module(_ id: String) -> CatalogEntry? {
        if let known = checked[id] { return known }
        var entry = find(id)
        // Interfaces may name each other in a circle, which the build reports.
        checked[id] = .some(entry)
        if entry != nil {
            apply(to: &entry!)
            checked[id] = .some(entry)
        }
        return entry
    }
}

extension CatalogEntry {
    fileprivate var lacksInterfaces: Bool {
        if case .interfaces = problem { true } else { false }
    }
}

// Which interface modules a module gets, and whether they fit what it was built against.
extension Catalog {
    /// The interface that an id stands for: one that the program has linked in goes before a file. `nil` if
    /// there is none, or it cannot be used as it is.
    package func interface(_ id: String) -> FoundInterface? {
        interfaceAnswer { check in try? check.interface(id) }
    }

    /// The id of the interface module that has a Swift module; `nil` if there is none.
    package func interface(ofSwift module: String) -> String? {
        if let linked = linkedInterfaces.first(where: { $0.stamp.module == module }) {
            return linked.id
        }
        return answer { modules in
            modules.entries(under: .swiftModule(module)) {
                $0.interface?.modules.contains(module) == true
            }
        }.first(where: \.isUsed)?.id
    }

    /// The owner of an interface that keeps a module from using the interface; `nil` if there is none.
    package func foreignOwner(of interface: String, for user: ModuleDeclaration) -> ForeignOwner? {
        interfaceAnswer { check in check.foreignOwner(of: interface, for: user) }
    }

    /// Whether a service is a protocol of an interface that a module names and owns.
    package func isOwn(_ service: String, of user: ModuleDeclaration) -> Bool {
        interfaceAnswer { check in check.isOwn(service, of: user) }
    }

    /// The interface modules that modules need, by declaration and through other interfaces, also those that
    /// a build makes ready. Each stands before those that are built on it; problems are left out.
    package func interfaces(of modules: [CatalogEntry]) -> [CatalogEntry] {
        func needed(by module: CatalogEntry) -> [CatalogEntry] {
            (module.declaration?.interfaces ?? []).map(\.id).compactMap { id in
                guard !linkedInterfaces.contains(where: { $0.id == id }), let entry = usedEntry(id),
                    entry.isAvailable, entry.declaration?.layer == .interface
                else { return nil }
                return entry
            }
        }
        return NeedsGraph(from: modules.flatMap(needed), id: \.id, needs: needed).modules
    }

    /// A file that the catalog does not have, with the problem that it has with interfaces, if any.
    package func checkingInterfaces(of file: CatalogEntry) -> CatalogEntry {
        guard file.declaration?.interfaces.isEmpty == false else { return file }
        return interfaceAnswer { check in
            var entry = file
            check.apply(to: &entry)
            return entry
        }
    }
}

package enum FoundInterface: Sendable {
    case linked(ProgramInterface)
    case module(CatalogEntry)

    /// `nil` for an interface module that is not built.
    private var stamp: InterfaceStamp? {
        switch self {
        case .linked(let interface): interface.stamp
        case .module(let entry): entry.declaration?.interfaceStamp
        }
    }

    /// The id of the module whose own interface it is.
    var owner: String? {
        switch self {
        case .linked(let interface): interface.owner
        // The claim of an untrusted file does not count.
        case .module(let entry): entry.state == .untrusted ? nil : entry.declaration?.owner
        }
    }

    /// Whether it has the protocol of a service. Of an interface that is linked in, only the Swift module is known.
    func has(_ service: String) -> Bool {
        switch self {
        case .linked(let interface): return ServiceName.module(service) == interface.stamp.module
        case .module(let entry):
            guard let content = entry.declaration?.interface else { return false }
            return content.protocols.contains {
                ServiceName.agree("\(content.module).\($0)", service)
            }
        }
    }

    func checkUse() throws(InterfaceProblem) {
        if case .module(let entry) = self, entry.state != .ready { throw .unusable(entry) }
    }

    /// Compares the interface with the one that a module was built against: a later minor version will do.
    func check(_ built: InterfaceStamp, for id: String) throws(InterfaceProblem) {
        guard let stamp else { return }
        let path: String? = if case .module(let entry) = self { entry.path } else { nil }
        if built.module != stamp.module {
            throw .otherModule(id, built: built.module, found: stamp.module, path: path)
        }
        if !stamp.version.serves(built.version) {
            throw .otherVersion(id, built: built.version, found: stamp.version, path: path)
        }
    }
}
