// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
package import EavesDiagnostics

// Which interface modules a module gets, and whether they fit what it was built against.
extension Catalog {
    /// Finds the interface that an id stands for: one that the program has linked in goes before a file.
    ///
    /// - Throws: ``InterfaceProblem`` if there is none, or it cannot be used.
    package func interface(_ id: String) throws(InterfaceProblem) -> FoundInterface {
        if let linked = linkedInterfaces.first(where: { $0.id == id }) { return .linked(linked) }
        guard let entry = usedEntry(id) else {
            let known = entries.filter { $0.declaration?.layer == .interface }.map(\.id)
            throw .missing(id, known: known + linkedInterfaces.map(\.id))
        }
        guard entry.isAvailable else { throw .unusable(entry) }
        guard entry.declaration?.layer == .interface else { throw .noInterface(entry) }
        return .module(entry)
    }

    /// The id of the interface module that has a Swift module; `nil` if there is none.
    package func interface(ofSwift module: String) -> String? {
        linkedInterfaces.first { $0.stamp.module == module }?.id
            ?? modules(ofSwift: module).first(where: \.isUsed)?.id
    }

    /// The interface modules that modules need, by declaration and through other interfaces. Each stands
    /// before those that are built on it; problems are left out.
    package func interfaces(of modules: [CatalogEntry]) -> [CatalogEntry] {
        var walk = InterfaceWalk()
        for module in modules { walk.visit(module, in: self) }
        return walk.found
    }

    /// Everything that is wrong with the interfaces that a module names, also through other interfaces.
    package func interfaceProblems(of module: CatalogEntry) -> [InterfaceProblem] {
        guard module.declaration?.interfaces.isEmpty == false else { return [] }
        var walk = InterfaceWalk()
        walk.visit(module, in: self)
        return walk.problems
    }

    /// The problem that keeps a module from being chosen; `nil` also if building the module mends it.
    func obstructiveInterfaceProblem(of module: CatalogEntry) -> InterfaceProblem? {
        interfaceProblems(of: module).first { !($0.isMendedByBuild && module.isBuildable) }
    }
}

/// Goes from a module to the interfaces that it names, and on to those that they are built on.
private struct InterfaceWalk {
    private(set) var found: [CatalogEntry] = []
    private(set) var problems: [InterfaceProblem] = []
    private var seen: Set<String> = []

    mutating func visit(_ module: CatalogEntry, in catalog: Catalog) {
        for need in module.declaration?.interfaces ?? [] {
            do throws(InterfaceProblem) {
                let interface = try catalog.interface(need.id)
                if let built = need.built { try interface.check(built, for: need.id) }
                guard case .module(let entry) = interface, seen.insert(entry.id).inserted else {
                    continue
                }
                visit(entry, in: catalog)
                found.append(entry)
            } catch {
                problems.append(error)
            }
        }
    }
}

/// The interface that an id stands for.
package enum FoundInterface: Sendable {
    /// The program has it linked in.
    case linked(LinkedInterface)
    case module(CatalogEntry)

    /// `nil` for an interface module that is not built.
    package var stamp: InterfaceStamp? {
        switch self {
        case .linked(let interface): interface.stamp
        case .module(let entry): entry.declaration?.interfaceStamp
        }
    }

    /// Compares the interface with the one that a module was built against: a later minor version will do.
    fileprivate func check(
        _ built: InterfaceStamp, for id: String
    ) throws(InterfaceProblem) {
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

/// The reason why a module cannot have an interface that it names.
package enum InterfaceProblem: Error, Hashable, Sendable {
    /// No module has the id, and the program has none of that id linked in.
    case missing(String, known: [String])
    /// The module of that id has another layer.
    case noInterface(CatalogEntry)
    /// The interface module cannot be used, or is switched off.
    case unusable(CatalogEntry)
    /// The module was built against another major version, or a later minor one. The path is `nil` for an
    /// interface that is linked in.
    case otherVersion(
        String, built: InterfaceVersion, found: InterfaceVersion, path: String?)
    /// The module was built against another Swift module.
    case otherModule(String, built: String, found: String, path: String?)

    /// Whether compiling the module against the interface that is there would mend it.
    var isMendedByBuild: Bool {
        switch self {
        case .otherVersion, .otherModule: true
        case .missing, .noInterface, .unusable: false
        }
    }

    /// The message about the module that names the interface.
    package func diagnostics(of user: CatalogEntry) -> [Diagnostic] {
        switch self {
        case .unusable(let entry) where entry.isEnabled:
            return [
                Diagnostic(
                    "\(user.id): the interface '\(entry.id)' that it is compiled against cannot be "
                        + "used (\(user.path))",
                    fix: "mend '\(entry.id)' first; its own message follows", code: code)
            ] + entry.diagnostics
        default:
            return [
                Diagnostic(
                    "\(user.id): \(message) (\(user.path))", fix: fix(for: user), code: code)
            ]
        }
    }

    private var message: String {
        switch self {
        case .missing(let id, let known):
            "it is compiled against the interface '\(id)', and there is none"
                + NearMatch.suffix(for: id, among: known)
        case .noInterface(let entry):
            "it names '\(entry.id)' in 'interfaces', and the layer of that module is "
                + "'\(entry.declaration?.layer.rawValue ?? "unknown")' (\(entry.path))"
        case .unusable(let entry):
            "it is compiled against the interface '\(entry.id)', which is \(entry.state)"
        case .otherVersion(let id, let built, let found, let path):
            "it was built against version \(built) of the interface '\(id)', and "
                + Self.subject(path) + " has \(found)"
        case .otherModule(let id, let built, let found, let path):
            "it was built against the Swift module \(built) of the interface '\(id)', and "
                + Self.subject(path) + " has \(found)"
        }
    }

    private static func subject(_ path: String?) -> String { path ?? "this program" }

    private func fix(for user: CatalogEntry) -> String? {
        switch self {
        case .missing(let id, _):
            "put '\(id).so' into a directory of modules, or use a program that has it linked in"
        case .noInterface(let entry):
            "take '\(entry.id)' out of 'interfaces', or make its layer 'interface', and build again"
        case .unusable(let entry): "run 'eaves enable \(entry.id.shellWord)'"
        case .otherVersion(let id, let built, let found, _):
            built.major == found.major
                ? "update '\(id)' to \(built) or a later \(built.major).x, or build "
                    + "'\(user.id)' again against \(found)"
                : "build '\(user.id)' again against \(found), or use '\(id)' \(built)"
        case .otherModule: "build '\(user.id)' again with 'eaves build'"
        }
    }

    private var code: FailureCode {
        switch self {
        case .missing: .noProvider
        case .noInterface: .badData
        case .unusable(let entry):
            entry.isEnabled ? entry.diagnostics.first?.code ?? .badData : .noProvider
        case .otherVersion, .otherModule: .incompatible
        }
    }
}
