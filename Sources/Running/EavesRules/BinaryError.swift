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
    /// Its variables of threads take so many bytes of static memory, more than a process has.
    case staticMemory(Int)
    case linksModules([LinkedModule])
    case usesModules([ForeignSymbol])
    /// It needs symbols that neither the host nor a library has. Mangled.
    case lacksSymbols([String])
    /// Libraries that it is linked to define what the process has defined already. Never empty.
    case takenSymbols([TakenSymbol])
    /// It uses what belongs to layers above its own: as a core module, services that only features or
    /// compositions provide; and interfaces that another module owns, without naming them.
    case usesUpperLayers([UpwardNeed], interfaces: [UnnamedInterface])
    /// It uses services of other modules that its declaration does not name.
    case undeclaredServices([String])
    /// Other modules carry the same packages. Never empty.
    case sharesCode([SharedCode])
    /// It has definitions of which a process keeps the first, and so have the modules with these ids. Never empty.
    case processWide([ProcessWideDefinition], besides: [String])
}

package struct LinkedModule: Hashable, Sendable {
    /// The name by which the module is linked to it.
    package let library: String
    /// The other module's id, if it is in the catalog.
    package let module: String?
}

package struct ForeignSymbol: Hashable, Sendable {
    /// Mangled.
    package let symbol: String
    package let module: String
}

extension BinaryError: DiagnosableList {
    /// The messages of all problems, each with the module's id and path.
    package var diagnostics: [Diagnostic] { problems.flatMap { $0.diagnostics(of: entry) } }
}

extension BinaryProblem {
    fileprivate func diagnostics(of entry: CatalogEntry) -> [Diagnostic] {
        guard case .catalog(let problem) = self else {
            return words(for: entry.id).map { $0.naming(entry.id, entry.path) }
        }
        var entry = entry
        entry.problem = problem
        return entry.diagnostics
    }

    /// The messages without the module's id and path.
    private func words(for id: String) -> [Diagnostic] {
        switch self {
        case .catalog: []
        case .unreadable(let error): error.diagnostics
        case .signature(let error): error.diagnostics
        case .version(let error): error.diagnostics
        case .noEntryPoint: [LoadError.noEntryPoint.diagnostic(of: id)]
        case .untrustedLibraries(let libraries):
            libraries.map { library in
                let reason = library.error.diagnostic
                return Diagnostic(
                    "needs the library '\(library.name)'; \(reason.message)", fix: reason.fix,
                    code: .untrusted)
            }
        case .usesUpperLayers(let needs, let interfaces): Self.words(of: needs, interfaces)
        case .processWide(let definitions, let others): [Diagnostic(definitions, besides: others)]
        case .missingLibraries(let libraries, let beside): [Self.words(of: libraries, beside)]
        case .digest(let expected, let found):
            Self.one(
                "expected SHA-256 \(expected), found \(found)",
                fix:
                    "put back the module that was pinned, or correct 'sha256' in the manifest if the new "
                    + "one is meant", .untrusted)
        case .interfaceWithEntryPoint:
            Self.one(
                "its layer is 'interface', and it exports 'eaves_register': an interface registers nothing",
                fix: "move what registers into a module of another layer")
        case .unnamedInterfaces(let ids):
            Self.one(
                "uses the interface \(Self.quoted(ids)), which its 'interfaces' does not name",
                fix: "add \(Self.quoted(ids)) to 'interfaces' in module.json, and rebuild it")
        case .foreignServices(let services):
            Self.one(
                "declares what is no protocol of an interface that it names: "
                    + services.abridged(by: ", "),
                fix:
                    "name the interface in 'interfaces' of module.json, and build it again with 'eaves build'"
            )
        case .cannotIsolate(let obstacles):
            // One after the other: the first fix may be enough for several.
            Self.one(
                "cannot run in a process of its own: " + obstacles.map(\.words).abridged(by: "; "),
                fix: obstacles[0].fix, .configuration)
        case .carriesInterface(let module, let symbols):
            Self.one(
                "carries a copy of \(module) of its own, whose types would not be this host's "
                    + "(\(symbols.count) symbols, such as '\(SymbolName.demangled(symbols[0]))')",
                fix: "build it with 'eaves build', which links no interface", .incompatible)
        case .lacksInterfaceSymbols(nil, let symbols):
            Self.one(
                "needs symbols that this host's EavesInterface does not have: \(Self.list(symbols))",
                fix:
                    "rebuild it against this host's interface with 'eaves build', or use a host that has "
                    + "them", .incompatible)
        case .lacksInterfaceSymbols(let id?, let symbols):
            Self.one(
                "needs symbols that the interface '\(id)' does not have: \(Self.list(symbols))",
                fix:
                    "update '\(id)', or build the module again against the one that is there: 'eaves build'",
                .incompatible)
        case .libraryPaths(let paths):
            Self.one(
                paths.map(Self.text).joined(separator: "; "),
                fix: paths.allSatisfy { if case .path = $0.problem { true } else { false } }
                    ? "link it again to libraries that have a name of their own ('-Wl,-soname,NAME')"
                    : "link it again with run paths that begin with '/' or '$ORIGIN/', or with none",
                .untrusted)
        case .executableStack(let libraries):
            Self.one(
                (libraries.isEmpty
                    ? "wants an executable stack"
                    : "is linked to \(Self.quoted(libraries)), and loading that makes the stack executable")
                    + ", which the manifest does not allow",
                fix:
                    "link it again with '-Wl,-z,noexecstack'; if its code needs such a stack, allow it in "
                    + "the manifest: modules.\(id).executableStack: true", .untrusted)
        case .staticMemory(let needed):
            Self.one(
                "its variables of threads ('thread_local', '__thread') take \(needed) bytes of static memory, of which the "
                    + "dynamic linker has \(ProcessRoom.staticMemory) for all files that a process loads",
                fix: LoadError.staticMemoryFix)
        case .linksModules(let modules):
            Self.one(
                "is linked to another module: "
                    + modules.map { "'\($0.library)'" + ($0.module.map { " is '\($0)'" } ?? "") }
                    .joined(separator: ", ") + "; modules share only interfaces",
                fix: "ask for what it needs as a service, and build it with 'eaves build'")
        case .usesModules(let symbols):
            Self.one(
                "uses symbols of other modules: "
                    + symbols.map { "'\(SymbolName.demangled($0.symbol))' of '\($0.module)'" }
                    .joined(separator: ", ") + "; modules share only interfaces",
                fix: "ask for a service instead, or move what both need into the interface")
        case .lacksSymbols(let symbols):
            Self.one(
                "needs \(Self.list(symbols)), which neither this host nor a loaded library has",
                fix:
                    "rebuild it with 'eaves build' against this host's interface, or link the library that "
                    + "has \(symbols.count == 1 ? "it" : "them")", .incompatible)
        case .takenSymbols(let symbols):
            Self.one(
                symbols.map { symbol in
                    "its library '\(symbol.library)' defines '\(SymbolName.demangled(symbol.symbol))', and so does "
                        + "'\(symbol.definer)', whose is called in its place"
                }.abridged(by: "; "),
                fix:
                    "hide the names in '\(symbols[0].definer)' ('-fvisibility=hidden'), or rename them in the library: "
                    + "one process has one of each")
        case .undeclaredServices(let services):
            Self.one(
                "uses \(services.joined(separator: ", ")), which its 'requires' does not name",
                fix: "add it to 'requires' in module.json, and rebuild it")
        case .sharesCode(let codes):
            Self.one(
                codes.map { code in
                    "carries the Swift module '\(code.swiftModule)', and so does "
                        + "\(Self.quoted(code.modules)): \(code.consequence)"
                }.joined(separator: "; "),
                fix: (codes.first { $0.interface != nil } ?? codes[0]).fix)
        }
    }

    private static func one(
        _ message: String, fix: String, _ code: FailureCode = .badData
    ) -> [Diagnostic] {
        [Diagnostic(message, fix: fix, code: code)]
    }

    private static func words(
        of needs: [UpwardNeed], _ interfaces: [UnnamedInterface]
    ) -> [Diagnostic] {
        let services = needs.map(\.description).joined(separator: ", ")
        let above = one(
            "its layer is 'core', and it uses what only features or compositions provide: \(services)",
            fix: LayerRule.fix)
        return (needs.isEmpty ? [] : above)
            + interfaces.flatMap { interface in
                interface.owner.map {
                    one("uses the interface '\(interface.id)', \($0.claim)", fix: ForeignOwner.fix)
                } ?? []
            }
    }

    private static func words(of libraries: [MissingLibrary], _ beside: [String]) -> Diagnostic {
        let isOne = libraries.count == 1
        let names = libraries.map { "'\($0.name)'" + ($0.neededBy.map { " (for '\($0)')" } ?? "") }
        return Diagnostic(
            isOne && libraries[0].neededBy == nil
                ? "needs the library '\(libraries[0].name)', which is not on this machine"
                : "needs libraries that are not on this machine: " + names.joined(separator: ", "),
            fix: beside.isEmpty
                ? "install \(quoted(libraries.map(\.name))), or add "
                    + (isOne ? "its folder" : "their folders") + " to LD_LIBRARY_PATH"
                : "a module is loaded from a copy, so $ORIGIN does not lead to \(quoted(beside)) "
                    + "next to it: add the folder to LD_LIBRARY_PATH, or link with '-rpath' and the "
                    + "folder's whole path", code: .incompatible)
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
