// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDeclaration
package import EavesDiagnostics
package import EavesELF
import EavesLoader
package import EavesSystem
package import EavesTrust

/// A module breaks rules of ``BinaryRules``.
package struct BinaryError: Error, Hashable, Sendable {
    /// The module as the catalog knows it.
    package let entry: CatalogEntry
    /// Never empty.
    package let problems: [BinaryProblem]

    package init(_ entry: CatalogEntry, _ problems: [BinaryProblem]) {
        self.entry = entry
        self.problems = problems
    }
}

/// One rule that a module's binary breaks.
package enum BinaryProblem: Hashable, Sendable {
    /// A problem that the catalog also finds, and has the words for.
    case catalog(CatalogProblem)
    /// The bytes are not those that the manifest pins. Lowercase hexadecimal.
    case digest(expected: String, found: String)
    /// The copy whose digest the manifest pins cannot be read.
    case unreadable(SystemError)
    /// The manifest requires a signature, and there is none that counts.
    case signature(SignatureError)
    /// It is older than it may be.
    case version(VersionError)
    /// It exports no function `eaves_register`.
    case noEntryPoint
    /// It is an interface module, and exports the function that registers.
    case interfaceWithEntryPoint
    /// It uses interface modules with these ids, and does not name them, though it may. Never empty.
    case unnamedInterfaces([String])
    /// It declares services that are protocols of no interface that it names. Qualified names.
    case foreignServices([String])
    /// The manifest wants it in a process of its own, where it cannot run. Never empty.
    case cannotIsolate([IsolationObstacle])
    /// It defines symbols of an interface itself: the Swift module, and the symbols. Mangled.
    case carriesInterface(String, [String])
    /// It needs symbols that an interface does not have: the interface's id, `nil` for the host's own, and
    /// the symbols. Mangled.
    case lacksInterfaceSymbols(String?, [String])
    /// It needs libraries that are not on this machine. Those named in `beside` are in the folder of
    /// the module's file, where the dynamic linker does not look: it loads a copy.
    case missingLibraries([MissingLibrary], beside: [String])
    /// It names libraries by paths, or has relative run paths. So do the libraries that it brings along.
    case libraryPaths([UnclearLibraryPath])
    /// Others can change libraries that it is linked to.
    case untrustedLibraries([UntrustedLibrary])
    /// It makes the stack executable, or these libraries do that it is linked to.
    case executableStack(libraries: [String])
    /// It is linked to other modules.
    case linksModules([LinkedModule])
    /// It needs symbols of other modules.
    case usesModules([ForeignSymbol])
    /// It needs symbols that neither the host nor a library has. Mangled.
    case lacksSymbols([String])
    /// It uses what belongs to layers above its own: as a core module, services that only features or
    /// compositions provide; and interfaces that another module owns, without naming them.
    case usesUpperLayers([UpwardNeed], interfaces: [UnnamedInterface])
    /// It uses services of other modules that its declaration does not name.
    case undeclaredServices([String])
    /// Other modules carry the same packages. Never empty.
    case sharesCode([SharedCode])
}

/// Another module that a module is linked to.
package struct LinkedModule: Hashable, Sendable {
    /// The name by which the module is linked to it.
    package let library: String
    /// The other module's id, if it is in the catalog.
    package let module: String?
}

/// A symbol that a module needs and another module has.
package struct ForeignSymbol: Hashable, Sendable {
    /// Mangled.
    package let symbol: String
    /// The id of the module that has it.
    package let module: String
}

extension BinaryError: DiagnosableList {
    /// The messages of all problems, each with the module's id and path.
    package var diagnostics: [Diagnostic] { problems.flatMap { $0.diagnostics(of: entry) } }
}

extension BinaryProblem {
    fileprivate func diagnostics(of entry: CatalogEntry) -> [Diagnostic] {
        switch self {
        case .catalog(let problem):
            var entry = entry
            entry.problem = problem
            return entry.diagnostics
        case .unreadable(let error):
            return error.diagnostics.map { $0.naming(entry.id, entry.path) }
        case .signature(let problem):
            return problem.diagnostics.map { $0.naming(entry.id, entry.path) }
        case .untrustedLibraries(let libraries):
            return libraries.map { library in
                let reason = library.error.diagnostic
                return Diagnostic(
                    "needs the library '\(library.name)'; \(reason.message)", fix: reason.fix,
                    code: .untrusted
                ).naming(entry.id, entry.path)
            }
        case .version(let problem):
            return problem.diagnostics.map { $0.naming(entry.id, entry.path) }
        case .usesUpperLayers(let needs, let interfaces):
            return Self.diagnostics(of: needs, interfaces).map {
                $0.naming(entry.id, entry.path)
            }
        case .noEntryPoint:
            let failure = LoadError.noEntryPoint
            return [failure.diagnostic(of: entry.id).naming(entry.id, entry.path)]
        default:
            let fix = fix ?? stackFix(for: entry.id)
            return [Diagnostic(message, fix: fix, code: code).naming(entry.id, entry.path)]
        }
    }

    private var message: String {
        switch self {
        case .digest(let expected, let found): "expected SHA-256 \(expected), found \(found)"
        case .interfaceWithEntryPoint:
            "its layer is 'interface', and it exports 'eaves_register': an interface registers nothing"
        case .unnamedInterfaces(let ids):
            "uses the interface \(Self.quoted(ids)), which its 'interfaces' does not name"
        case .foreignServices(let services):
            "declares what is no protocol of an interface that it names: "
                + services.abridged(by: ", ")
        case .cannotIsolate(let obstacles):
            "cannot run in a process of its own: "
                + obstacles.map(\.words).abridged(by: "; ")
        case .carriesInterface(let module, let symbols):
            "carries a copy of \(module) of its own, whose types would not be this host's "
                + "(\(symbols.count) symbols, such as '\(SymbolName.demangled(symbols[0]))')"
        case .lacksInterfaceSymbols(nil, let symbols):
            "needs symbols that this host's EavesInterface does not have: \(Self.list(symbols))"
        case .lacksInterfaceSymbols(let id?, let symbols):
            "needs symbols that the interface '\(id)' does not have: \(Self.list(symbols))"
        case .missingLibraries(let libraries, _)
        where libraries.count == 1 && libraries[0].neededBy == nil:
            "needs the library '\(libraries[0].name)', which is not on this machine"
        case .missingLibraries(let libraries, _):
            "needs libraries that are not on this machine: "
                + libraries.map(Self.text).joined(separator: ", ")
        case .libraryPaths(let paths): paths.map(Self.text).joined(separator: "; ")
        case .executableStack(let libraries) where libraries.isEmpty:
            "wants an executable stack, which the manifest does not allow"
        case .executableStack(let libraries):
            "is linked to \(Self.quoted(libraries)), and loading that makes the stack executable, "
                + "which the manifest does not allow"
        case .linksModules(let modules):
            "is linked to another module: "
                + modules.map { "'\($0.library)'" + ($0.module.map { " is '\($0)'" } ?? "") }
                .joined(separator: ", ") + "; modules share only interfaces"
        case .usesModules(let symbols):
            "uses symbols of other modules: "
                + symbols.map { "'\(SymbolName.demangled($0.symbol))' of '\($0.module)'" }
                .joined(separator: ", ") + "; modules share only interfaces"
        case .lacksSymbols(let symbols):
            "needs \(Self.list(symbols)), which neither this host nor a loaded library has"
        case .undeclaredServices(let services):
            "uses \(services.joined(separator: ", ")), which its 'requires' does not name"
        case .sharesCode(let codes):
            codes.map { code in
                "carries the Swift module '\(code.swiftModule)', and so does "
                    + "\(Self.quoted(code.modules)): \(code.consequence)"
            }.joined(separator: "; ")
        // `diagnostics(of:)` has the words of these, or they have those of the error that they hold.
        case .catalog, .unreadable, .signature, .version, .untrustedLibraries, .noEntryPoint,
            .usesUpperLayers:
            ""
        }
    }

    private var fix: String? {
        switch self {
        case .digest:
            "put back the module that was pinned, or correct 'sha256' in the manifest if the new "
                + "one is meant"
        case .carriesInterface: "build it with 'eaves build', which links no interface"
        case .interfaceWithEntryPoint:
            "move what registers into a module of another layer"
        case .unnamedInterfaces(let ids):
            "add \(Self.quoted(ids)) to 'interfaces' in module.json, and rebuild it"
        case .foreignServices:
            "name the interface in 'interfaces' of module.json, and build it again with 'eaves build'"
        case .cannotIsolate(let obstacles):
            // One after the other: the first fix may be enough for several.
            obstacles[0].fix
        case .lacksInterfaceSymbols(let id?, _):
            "update '\(id)', or build the module again against the one that is there: 'eaves build'"
        case .lacksInterfaceSymbols:
            "rebuild it against this host's interface with 'eaves build', or use a host that has "
                + "them"
        case .missingLibraries(let libraries, let beside) where beside.isEmpty:
            "install \(Self.quoted(libraries.map(\.name))), or add "
                + (libraries.count == 1 ? "its folder" : "their folders") + " to LD_LIBRARY_PATH"
        case .missingLibraries(_, let beside):
            "a module is loaded from a copy, so $ORIGIN does not lead to \(Self.quoted(beside)) "
                + "next to it: add the folder to LD_LIBRARY_PATH, or link with '-rpath' and the "
                + "folder's whole path"
        case .libraryPaths(let paths) where paths.allSatisfy(\.namesPath):
            "link it again to libraries that have a name of their own ('-Wl,-soname,NAME')"
        case .libraryPaths:
            "link it again with run paths that begin with '/' or '$ORIGIN/', or with none"
        case .linksModules:
            "ask for what it needs as a service, and build it with 'eaves build'"
        case .usesModules:
            "ask for a service instead, or move what both need into the interface"
        case .lacksSymbols(let symbols):
            "rebuild it with 'eaves build' against this host's interface, or link the library that "
                + "has \(symbols.count == 1 ? "it" : "them")"
        case .undeclaredServices: "add it to 'requires' in module.json, and rebuild it"
        case .sharesCode(let codes):
            (codes.first { $0.interface != nil } ?? codes[0]).fix
        // The first have the words of the error that they hold.
        case .catalog, .unreadable, .signature, .version, .untrustedLibraries, .noEntryPoint,
            .usesUpperLayers, .executableStack:
            nil
        }
    }

    /// One message about the services, and one about each interface.
    private static func diagnostics(
        of needs: [UpwardNeed], _ interfaces: [UnnamedInterface]
    ) -> [Diagnostic] {
        let services = needs.map(\.description).joined(separator: ", ")
        let above = Diagnostic(
            "its layer is 'core', and it uses what only features or compositions provide: \(services)",
            fix: LayerRule.fix, code: .badData)
        return (needs.isEmpty ? [] : [above])
            + interfaces.compactMap { interface in
                interface.owner.map {
                    Diagnostic(
                        "uses the interface '\(interface.id)', \($0.claim)",
                        fix: ForeignOwner.fix, code: .badData)
                }
            }
    }

    private func stackFix(for id: String) -> String? {
        guard case .executableStack = self else { return nil }
        return
            "link it again with '-Wl,-z,noexecstack'; if its code needs such a stack, allow it in "
            + "the manifest: modules.\(id).executableStack: true"
    }

    private var code: FailureCode {
        switch self {
        case .digest, .libraryPaths, .executableStack: .untrusted
        case .cannotIsolate: .configuration
        case .carriesInterface, .lacksInterfaceSymbols, .missingLibraries, .lacksSymbols:
            .incompatible
        default: .badData
        }
    }

    /// The symbols as people write them, sorted.
    private static func list(_ symbols: [String]) -> String {
        symbols.map { "'\(SymbolName.demangled($0))'" }.sorted().joined(separator: ", ")
    }

    private static func quoted(_ names: [String]) -> String {
        names.map { "'\($0)'" }.joined(separator: ", ")
    }

    private static func text(_ path: UnclearLibraryPath) -> String {
        let subject = path.library.map { "its library '\($0)' " } ?? ""
        return switch path.problem {
        case .path(let name): subject + "needs a library by the path '\(name)'"
        case .relativeFolder(let folder):
            subject + "has a run path that depends on the working directory: '\(folder)'"
        case .unclearFolder(let folder):
            subject + "has a run path that only the dynamic linker can resolve: '\(folder)'"
        }
    }

    private static func text(_ library: MissingLibrary) -> String {
        "'\(library.name)'" + (library.neededBy.map { " (for '\($0)')" } ?? "")
    }
}

extension UnclearLibraryPath {
    fileprivate var namesPath: Bool {
        if case .path = problem { true } else { false }
    }
}

extension Diagnostic {
    /// The same message with a module's id and path: `login: … (Plugins/login.so)`.
    package func naming(_ id: String, _ path: String) -> Diagnostic {
        var named = self
        named.message = "\(id): \(message)" + (message.includes(path) ? "" : " (\(path))")
        return named
    }
}

extension String {
    /// `Formats.Date` of a demangled descriptor, `nominal type descriptor for Formats.Date`.
    var typeName: String {
        let mark = "nominal type descriptor for "
        return hasPrefix(mark) ? String(dropFirst(mark.count)) : self
    }
}
