// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
package import EavesDeclaration
package import EavesDiagnostics
package import EavesELF
import EavesSystem

/// One thing that is wrong with the interfaces that a module names, or with the services that it provides and requires.
package enum InterfaceUseProblem: Error, Hashable, Sendable {
    // MARK: The interface modules

    /// There is no interface module with this id.
    ///
    /// - Parameter known: The ids of those that there are.
    case missing(id: String, known: [String])
    /// The id is that of another kind of module.
    case notAnInterface(id: String, file: String, layer: Layer)
    /// Others can change the file of an interface module, or the manifest demands something of it that it lacks, such
    /// as a signature.
    case refused(Diagnostic)
    /// The file of an interface module is not a whole shared object.
    case damaged(id: String, file: String, ELFError)
    /// The file has no note of a module, or a wrong one.
    case unreadableNote(id: String, file: String, NoteError)
    /// The file is the interface module's, and has no textual interface.
    case noText(id: String, file: String)
    /// The SDK has no textual interface of an interface module that is linked in.
    case noLinkedText(id: String, file: String)
    case otherHost(id: String, file: String, CompatibilityProblem)
    case sameModule(String, ids: [String])
    /// An interface module was built against another version of an interface than the one that is here.
    case otherVersion(id: String, user: String, needed: InterfaceStamp, found: InterfaceStamp)
    /// Another module owns the interface, and this one is not above it.
    case owned(id: String, ForeignOwner)
    /// Interface modules name each other in a circle. The first id is also the last.
    case cycle([String])
    /// An interface module that is built first was not built.
    case notBuilt(id: String)

    // MARK: Services

    /// A service is a protocol of none of the interfaces.
    ///
    /// - Parameters:
    ///   - interfaces: The Swift modules that were searched.
    ///   - similar: Protocols of them with a similar name.
    ///   - providers: The ids of other interface modules that have the protocol.
    ///   - unbuilt: The ids of interface modules whose protocols are not known yet.
    case unknownService(
        String, interfaces: [String], similar: [String], providers: [String],
        unbuilt: [String])
    /// A service is a protocol of several interfaces.
    ///
    /// - Parameter names: The qualified names.
    case ambiguousService(String, names: [String])

    /// A service is a protocol of an interface that the module must not name.
    case ownedService(String, id: String, ForeignOwner)

    // MARK: An interface module itself

    /// The sources define the entry point, which an interface module does not have.
    case hasEntry(folder: String)
    /// The folder has sources in another language than Swift, or is a package.
    case notInSwift(folder: String)
}

extension InterfaceUseProblem {
    /// The problem in the words of a message, without the module's id.
    package func diagnostic(of subject: String) -> Diagnostic {
        if case .refused(let diagnostic) = self { return diagnostic }
        return Diagnostic("\(subject): \(what)", fix: fix, code: code)
    }

    private var what: String {
        switch self {
        case .missing(let id, let known):
            "there is no interface module \(id.quoted)" + NearMatch.suffix(for: id, among: known)
        case .notAnInterface(let id, let file, let layer):
            "expected \(id.quoted) to be an interface module, found one of the layer "
                + "'\(layer.rawValue)' (\(file))"
        case .refused(let diagnostic): diagnostic.message
        case .damaged(let id, let file, let error):
            "cannot use the interface module \(id.quoted): \(error.message) (\(file))"
        case .unreadableNote(let id, let file, let error):
            "cannot use the interface module \(id.quoted): \(error.message) (\(file))"
        case .noText(let id, let file):
            "the interface module \(id.quoted) has no textual interface to compile against: no "
                + "section '\(InterfaceSection.name)' (\(file))"
        case .noLinkedText(let id, let file):
            "the interface module \(id.quoted) is part of this program, and its textual interface "
                + "is missing (\(file))"
        case .otherHost(let id, let file, let problem):
            "the interface module \(id.quoted) is for another host: \(problem.message) (\(file))"
        case .sameModule(let module, let ids):
            "the interface modules \(Self.list(ids)) have the same Swift module '\(module)'"
        case .otherVersion(let id, let user, let needed, let found):
            "the interface module \(user.quoted) was built against \(id) \(needed.version) "
                + "('\(needed.module)'), found \(found.version) ('\(found.module)')"
        case .owned(let id, let owner): "it names the interface '\(id)', \(owner.claim)"
        case .ownedService(let service, let id, let owner):
            "the service \(service.quoted) is a protocol of the interface '\(id)', \(owner.claim)"
        case .cycle(let ids):
            "interface modules name each other in a circle: \(ids.joined(separator: " → "))"
        case .notBuilt(let id): "the interface module \(id.quoted) was not built"
        case .unknownService(let service, let interfaces, let similar, _, _):
            "the service \(service.quoted) is a protocol of none of its interfaces, "
                + interfaces.joined(separator: ", ")
                + NearMatch.suffix(for: service, among: similar)
        case .ambiguousService(let service, let names):
            "the service \(service.quoted) is a protocol of several interfaces: "
                + names.joined(separator: ", ")
        case .hasEntry(let folder):
            "an interface module has no entry point, and the code in \(folder) defines "
                + BinaryReport.entryName
        case .notInSwift(let folder):
            "an interface module has sources in Swift alone, and \(folder) has others, or a package"
        }
    }

    private var fix: String? {
        switch self {
        case .missing(let id, let known):
            NearMatch.suggestions(for: id, among: known).first
                .map { "write '\($0)' in \"interfaces\" of its module.json" }
                ?? "put its .so or its folder next to this module's, or into one of the manifest's "
                + "directories; or name the manifest of a project that has it with '--manifest PATH'; or remove "
                + "'\(id)' from \"interfaces\""
        case .notAnInterface(let id, _, _):
            "remove '\(id)' from \"interfaces\": modules use each other's services, and compile "
                + "against interfaces alone"
        case .refused(let diagnostic): diagnostic.fix
        case .damaged(_, let file, _): "copy \(file) again from where it was built, or build it"
        case .unreadableNote(let id, _, _), .noText(let id, _):
            "build '\(id)' with 'eaves build', which puts it there"
        case .noLinkedText: "build the program again with 'swift build'"
        case .otherHost(let id, _, _):
            "build '\(id)' again with 'eaves build', or take one for this host"
        case .sameModule(_, let ids):
            "remove one of \(Self.list(ids)) from \"interfaces\", or give one of them another "
                + "\"module\" in its module.json"
        case .otherVersion(let id, let user, _, _):
            "build '\(user)' again, or take the '\(id)' that it was built against"
        case .owned(let id, _):
            "\(ForeignOwner.fix); then take '\(id)' out of \"interfaces\" in its module.json"
        case .ownedService: ForeignOwner.fix
        case .cycle: "move what they share into an interface module of its own"
        case .notBuilt: "correct the errors of that module first"
        case .unknownService(_, _, let similar, let providers, let unbuilt):
            if let id = providers.first {
                "add '\(id)' to \"interfaces\" in its module.json"
            } else if let first = similar.first {
                "write '\(first)' in its module.json"
            } else {
                "name the interface module that declares it in \"interfaces\", or correct its name "
                    + "in module.json"
                    + (unbuilt.isEmpty
                        ? ""
                        : "; it may be one that is not built yet: run "
                            + "'eaves build \(unbuilt.map(\.shellWord).joined(separator: " "))'")
            }
        case .ambiguousService(_, let names):
            "write the qualified name in its module.json, such as '\(names.first ?? "")'"
        case .hasEntry: "remove it, or give the module another 'layer'"
        case .notInSwift: "move them into another module, or give this one another 'layer'"
        }
    }

    private var code: FailureCode {
        switch self {
        case .missing, .noLinkedText: .notFound
        case .otherHost, .otherVersion: .incompatible
        case .cycle: .configuration
        case .refused(let diagnostic): diagnostic.code
        case .damaged(_, _, let error):
            if case .unreadable(let error) = error, error.errno.meansMissing {
                .notFound
            } else {
                .badData
            }
        default: .badData
        }
    }

    private static func list(_ ids: [String]) -> String {
        let quoted = ids.map { "'\($0)'" }
        return quoted.dropLast().joined(separator: ", ") + " and " + (quoted.last ?? "")
    }
}
