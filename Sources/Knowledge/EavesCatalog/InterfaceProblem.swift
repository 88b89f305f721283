// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
package import EavesDiagnostics
import EavesSystem

/// The reason why a module cannot have an interface that it names.
package enum InterfaceProblem: Error, Hashable, Sendable {
    /// No module has the id, and the program has none of that id linked in.
    case missing(String, known: [String])
    case noInterface(CatalogEntry)
    /// The interface module cannot be used as it is, or is switched off.
    case unusable(CatalogEntry)
    /// The module was built against another major version, or a later minor one. The path is `nil` for an
    /// interface that is linked in.
    case otherVersion(String, built: InterfaceVersion, found: InterfaceVersion, path: String?)
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

    // MARK: Words

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
