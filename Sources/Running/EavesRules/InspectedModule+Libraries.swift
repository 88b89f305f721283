// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesELF
import EavesLoader
import EavesSystem
import Synchronization

// The libraries that a module is linked to, and the modules among them.
extension InspectedModule {
    /// Every library has to be there, including those that libraries need.
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

    /// A module is linked to no other module, nor is a library that it brings along.
    func checkLinks() throws(ELFError) -> RuleOutcome {
        let linked = try linkedModules()
        return linked.isEmpty ? .kept : .broken(.linksModules(linked))
    }

    /// The modules among the libraries.
    ///
    /// A library that the process has is a module if it has the entry point, and one on the disk if
    /// it has a note. One that was not found is a module if another module has its name.
    func linkedModules() throws(ELFError) -> [LinkedModule] {
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

    /// The other module whose file or whose soname has this name.
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
