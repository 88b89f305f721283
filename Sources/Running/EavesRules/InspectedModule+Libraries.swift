// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
package import EavesELF
import EavesLoader
import EavesManifest
import EavesSystem
package import EavesTrust
import Synchronization

// The libraries that a module is linked to, and the modules among them.
extension InspectedModule {
    func checkLibraries() throws(ELFError) -> RuleOutcome {
        let linked = Set(try linkedModules().map(\.library))
        let missing = libraries.missing.filter { !linked.contains($0.name) }
        guard !missing.isEmpty else { return .kept }
        let folder = Path.parent(of: entry.file)
        let beside = missing.map(\.name).filter {
            (try? FileStatus(path: Path.join(folder, $0))) != nil
        }
        return .broken(.missingLibraries(missing, beside: beside))
    }

    func checkLinks() throws(ELFError) -> RuleOutcome {
        let linked = try linkedModules()
        return linked.isEmpty ? .kept : .broken(.linksModules(linked))
    }

    /// The modules among the libraries.
    ///
    /// A library that the process has is a module if it has the entry point, and one on the disk if
    /// it has a note. One that was not found is a module if another module has its name.
    private func linkedModules() throws(ELFError) -> [LinkedModule] {
        let needed = try report.needed
        let indirect = libraries.found.map(\.name).filter { !needed.contains($0) }
        return (needed + indirect).compactMap(linkedModule)
    }

    private func linkedModule(named name: String) -> LinkedModule? {
        if VettedLibraries.admits(name) { return nil }
        if HostLibraries.has(name) {
            return LinkedModule(library: name, module: other(named: name)?.id)
        }
        if let found = libraries.found.first(where: { $0.name == name }) {
            let content = ModuleContent(found.file)
            return content.tag.map { _ in
                LinkedModule(library: name, module: content.note?.declaration.id)
            }
        }
        return other(named: name).map { LinkedModule(library: name, module: $0.id) }
    }

    private func other(named name: String) -> CatalogEntry? {
        others.first { Path.name(of: $0.file) == name }
            ?? others.first { (try? ELFFile($0.file).dynamicSection())?.soname == name }
    }
}

/// The names of libraries that the process has and that are known to be no modules. Usually these
/// are the libraries of Swift, and the same for every module.
enum VettedLibraries {
    private static let names = Mutex<Set<String>>([])

    /// Whether the process has a library of this name, and it is no module. Asks the dynamic linker once for
    /// each name that it is true of.
    static func admits(_ name: String) -> Bool {
        if names.withLock({ $0.contains(name) }) { return true }
        guard HostLibraries.loaded(name, defines: BinaryReport.entryName) == false else {
            return false
        }
        names.withLock { _ = $0.insert(name) }
        return true
    }
}

// Which libraries are loaded with a module, and who can change them. The dynamic linker asks neither.
extension InspectedModule {
    /// The working directory has no say in which libraries are loaded, and the host can tell where they come from.
    func checkLibraryPaths() throws(ELFError) -> RuleOutcome {
        let own = LinkedLibraries(try report.libraries, origin: origin).problems
            .map { UnclearLibraryPath(problem: $0, library: nil) }
        let others = libraries.found.flatMap { library in
            library.problems.map { UnclearLibraryPath(problem: $0, library: library.name) }
        }
        let problems = own + others
        return problems.isEmpty ? .kept : .broken(.libraryPaths(problems))
    }

    /// A library is trusted as the module itself is: its file, and each folder on the way to it. So is each
    /// folder that is searched before the library is found, where another user could put another one.
    ///
    /// The libraries that this process has already are not looked at again.
    func checkLibraryTrust() throws(ELFError) -> RuleOutcome {
        _ = try report
        let trust = manifest?.trust ?? .own
        var found: [UntrustedLibrary] = []
        for place in libraries.places {
            guard let error = trust.error(ofLibrary: place) else { continue }
            let problem = UntrustedLibrary(name: place.library, error: error)
            // A folder that others can write is on the way to all files in it.
            if !found.contains(problem) { found.append(problem) }
        }
        return found.isEmpty ? .kept : .broken(.untrustedLibraries(found))
    }

    /// An executable stack lets an overflow of a buffer run code that came as data, everywhere in the process.
    func checkExecutableStack() throws(ELFError) -> RuleOutcome {
        let isOwn = try report.wantsExecutableStack
        let names = libraries.found.filter(\.wantsExecutableStack).map(\.name)
        let isAllowed = manifest?.entry(entry.id)?.allowsExecutableStack == true
        guard !isAllowed, isOwn || !names.isEmpty else { return .kept }
        return .broken(.executableStack(libraries: isOwn ? [] : names))
    }

    /// No process could load a file that takes more than all of it. Nearly every file takes none.
    func checkStaticMemory() throws(ELFError) -> RuleOutcome {
        let size = try report.staticMemory
        return size > 0 && size > ProcessRoom.staticMemory ? .broken(.staticMemory(size)) : .kept
    }
}

// The names that several libraries have.
extension InspectedModule {
    /// No library that is loaded with the module defines what this process defines already: the dynamic linker binds a
    /// name to the first that has it, so the library and the module would call what is there.
    func checkLibrarySymbols() throws(ELFError) -> RuleOutcome {
        _ = try report
        let taken = takenSymbols
        return taken.isEmpty ? .kept : .broken(.takenSymbols(taken))
    }

    /// The symbols of its libraries that this process defines already. Empty if the binary cannot be read.
    package var takenSymbols: [TakenSymbol] {
        var definers: [String: Bool] = [:]
        func hasVersions(_ file: String) -> Bool {
            let known = definers[file] ?? (try? BinaryReport(of: file))?.hasVersions ?? false
            definers[file] = known
            return known
        }
        var taken: [TakenSymbol] = []
        for library in libraries.found {
            guard let report = try? BinaryReport(of: library.file) else { continue }
            for symbol in report.symbols where symbol.isDefined && !symbol.isWeak {
                guard let kind = symbol.kind, kind != .untyped,
                    let definer = HostSymbols.definer(of: symbol.name),
                    !(report.hasVersions && hasVersions(definer))
                else { continue }
                taken.append(
                    TakenSymbol(
                        symbol: symbol.name, library: library.name, definer: Path.name(of: definer))
                )
            }
        }
        return taken
    }
}

extension TrustCheck {
    /// The error of a library's file, or of a folder where a library may be.
    fileprivate func error(ofLibrary place: LibraryPlace) -> TrustError? {
        guard place.isFolder else { return error(of: TrustPlace(place.path, .library)) }
        let error = error(of: TrustPlace(place.path, .way))
        // A folder that is missing is trusted if no other user can create it: links have been
        // followed up to the name that is missing.
        guard case .unresolved(_, let reason) = error, reason.errno.meansMissing else {
            return error
        }
        return self.error(of: TrustPlace(Path.parent(of: reason.path), .way))
    }
}

/// Something that leaves it open which library is loaded.
package struct UnclearLibraryPath: Hashable, Sendable {
    package let problem: LibraryPathProblem
    /// The library that says so; `nil` for the module itself.
    package let library: String?
}

/// A library that others can change, or replace.
package struct UntrustedLibrary: Hashable, Sendable {
    /// The name by which the module, or another library, is linked to it.
    package let name: String
    package let error: TrustError
}

/// A symbol of a library that another file of the process has defined first.
package struct TakenSymbol: Hashable, Sendable {
    /// Mangled.
    package let symbol: String
    /// The name by which the module, or another library, is linked to the library.
    package let library: String
    /// The name of the program's or library's file that the process has already.
    package let definer: String

    /// Such as `add_text of libdep.so by eaves`.
    package var words: String { "\(SymbolName.demangled(symbol)) of \(library) by \(definer)" }
}
