// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
package import EavesDiagnostics
import EavesSystem

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

    /// Whether it has the protocol of a service. Of an interface that is linked in, only the Swift module is
    /// known.
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

/// The reason why a module cannot have an interface that it names.
package enum InterfaceProblem: Error, Hashable, Sendable {
    /// No module has the id, and the program has none of that id linked in.
    case missing(String, known: [String])
    case noInterface(CatalogEntry)
    /// The interface module cannot be used as it is, or is switched off.
    case unusable(CatalogEntry)
    /// The module was built against another major version, or a later minor one. The path is `nil` for an
    /// interface that is linked in.
    case otherVersion(
        String, built: InterfaceVersion, found: InterfaceVersion, path: String?)
    case otherModule(String, built: String, found: String, path: String?)
    /// The interface's protocols got requirements without a default after the module was built, which the module
    /// does not implement, or lost some that it implements. The symbols of their descriptors. The path is `nil` for
    /// an interface that is linked in.
    case otherRequirements(String, lacking: [String], gone: [String], path: String?)
    /// Another module owns the interface, and this one is not above it.
    case owned(String, ForeignOwner)

    /// Whether the module must not name the interface, whatever state that is in.
    package var isAboutOwner: Bool {
        if case .owned = self { true } else { false }
    }

    /// Whether the interface fits the module by its version, and not by its requirements.
    package var isAboutRequirements: Bool {
        if case .otherRequirements = self { true } else { false }
    }

    /// Whether a build mends it: of the interface module, or of the module that names it.
    func isMended(byBuilding user: CatalogEntry) -> Bool {
        switch self {
        case .unusable(let interface): interface.isAvailable
        case .otherVersion, .otherModule, .otherRequirements: user.isBuildable
        case .missing, .noInterface, .owned: false
        }
    }

    var state: ModuleState {
        switch self {
        case .noInterface, .owned: .invalid
        case .missing, .unusable, .otherVersion, .otherModule, .otherRequirements: .incompatible
        }
    }
}

// The words.
extension InterfaceProblem {
    /// The messages about the module that names the interface, and about the interface itself.
    package func diagnostics(of user: CatalogEntry) -> [Diagnostic] {
        [diagnostic(of: [user])] + causes
    }

    /// One message about all modules that have this problem.
    ///
    /// - Precondition: There is at least one.
    package func diagnostic(of users: [CatalogEntry]) -> Diagnostic {
        let isOne = users.count == 1
        let subject = isOne ? "it" : "they"
        let ids = users.map(\.id)
        let message =
            switch self {
            case .missing(let id, let known):
                "\(subject) \(isOne ? "is" : "are") compiled against the interface '\(id)', and there is "
                    + "none" + NearMatch.suffix(for: id, among: known)
            case .noInterface(let entry):
                "\(subject) \(isOne ? "names" : "name") '\(entry.id)' in 'interfaces', and the layer of "
                    + "that module is '\(entry.declaration?.layer.rawValue ?? "unknown")' (\(entry.path))"
            case .unusable(let entry):
                "\(subject) \(isOne ? "is" : "are") compiled against the interface '\(entry.id)', which "
                    + Self.claim(about: entry)
            case .otherVersion(let id, let built, let found, let path):
                "\(subject) \(isOne ? "was" : "were") built against version \(built) of the interface "
                    + "'\(id)', and \(path ?? "this program") has \(found)"
            case .otherModule(let id, let built, let found, let path):
                "\(subject) \(isOne ? "was" : "were") built against the Swift module \(built) of the "
                    + "interface '\(id)', and \(path ?? "this program") has \(found)"
            case .otherRequirements(let id, let lacking, let gone, let path):
                "\(subject) "
                    + [
                        (
                            "\(isOne ? "lacks" : "lack") what the interface '\(id)' requires without a default",
                            lacking
                        ),
                        (
                            "\(isOne ? "implements" : "implement") what the interface '\(id)' has no longer",
                            gone
                        ),
                    ].filter { !$0.1.isEmpty }.map { start, symbols in
                        "\(start) since \(isOne ? "it was" : "they were") built: "
                            + symbols.map { "'\(SymbolName.requirement($0))'" }.abridged(by: ", ")
                    }.joined(separator: "; and ") + " in \(path ?? "this program")"
            case .owned(let id, let owner):
                "\(subject) \(isOne ? "names" : "name") the interface '\(id)', \(owner.claim)"
            }
        return Diagnostic(
            "\(ids.abridged(by: ", ", limit: 10)): \(message)"
                + (isOne ? " (\(users[0].path))" : ""),
            fix: fix(for: ids), code: code)
    }

    /// The messages about the interface module itself; empty where the one about its users says enough.
    package var causes: [Diagnostic] {
        guard case .unusable(let entry) = self, entry.isEnabled, !entry.isNotBuilt else {
            return []
        }
        return entry.diagnostics
    }

    private static func claim(about interface: CatalogEntry) -> String {
        if !interface.isEnabled { return "is disabled" }
        return interface.isNotBuilt ? "is not built yet" : "cannot be used"
    }

    private func fix(for users: [String]) -> String {
        let isOne = users.count == 1
        let users = users.map { "'\($0)'" }.abridged(by: ", ")
        return switch self {
        case .missing(let id, _):
            "put '\(id).so' into a directory of modules, or use a program that has it linked in"
        case .noInterface(let entry):
            "take '\(entry.id)' out of 'interfaces', or make its layer 'interface', and build again"
        case .unusable(let entry) where !entry.isEnabled:
            "run 'eaves enable \(entry.id.shellWord)'"
        case .unusable(let entry) where entry.isNotBuilt:
            "run 'eaves build \(entry.id.shellWord)'"
        case .unusable(let entry): "mend '\(entry.id)' first; its own message follows"
        case .otherVersion(let id, let built, let found, _):
            built.major == found.major
                ? "update '\(id)' to \(built) or a later \(built.major).x, or build "
                    + "\(users) again against \(found)"
                : "build \(users) again against \(found), or use '\(id)' \(built)"
        case .otherModule: "build \(users) again with 'eaves build'"
        case .otherRequirements(let id, _, _, _):
            "build \(users) again with 'eaves build', or use the '\(id)' that "
                + "\(isOne ? "it was" : "they were") built against"
        case .owned(let id, _):
            "\(ForeignOwner.fix); then take '\(id)' out of 'interfaces', and build \(users) again"
        }
    }

    private var code: FailureCode {
        switch self {
        case .missing: .noProvider
        case .noInterface, .owned: .badData
        case .unusable(let entry):
            entry.isEnabled ? entry.diagnostics.first?.code ?? .badData : .noProvider
        case .otherVersion, .otherModule, .otherRequirements: .incompatible
        }
    }
}
