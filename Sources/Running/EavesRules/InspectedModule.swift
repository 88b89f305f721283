// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDeclaration
package import EavesELF
package import EavesLoader
package import EavesManifest
import EavesSystem

/// A module and everything that the rules look at. Each part is read when a rule first asks for it,
/// so that a launch reads no more of a file than its own rules need.
///
/// Not thread-safe.
package final class InspectedModule {
    package let entry: CatalogEntry
    package let manifest: Manifest?
    /// All modules; `nil` if the file is inspected alone, and then no rule speaks of other modules.
    let catalog: Catalog?
    /// The host that the module is to run in, with the compilers that the manifest allows.
    let host: HostProfile
    /// The file whose bytes are checked: the module's own, or the private copy that will be loaded.
    let file: String
    /// The folder that `$ORIGIN` stands for: `/proc/PID/fd` for a held copy, else that of the copies; `nil` if unknown.
    let origin: String?

    /// The private copy, if it is held: it is read without being looked up by a name.
    let held: PrivateCopy?

    private(set) lazy var content = ModuleContent(entry.loadedFile)

    /// The symbols and libraries of ``file``, or why they cannot be read.
    private(set) lazy var binary = Result { () throws(ELFError) in
        try BinaryReport(openedBinary())
    }

    /// The conformances to protocols of the interfaces that it names, and the definitions of which the host's process keeps the
    /// first: none for a module in a process of its own, and none if they cannot be read.
    private(set) lazy var conformances = Result {
        () throws(ELFError) -> (
            toProtocols: [SwiftConformance], processWide: [ProcessWideDefinition]
        ) in
        let file = try openedBinary()
        let prefixes = usedInterfaces.map { SwiftSymbols.prefix(of: $0.module) }
        let (toProtocols, retroactive) = try file.swiftConformances(
            of: file.dynamicSection(), toProtocolsWith: prefixes)
        guard !entry.isIsolated, case .success(let report) = binary else {
            return (toProtocols, [])
        }
        let found = try? file.processWideDefinitions(among: report.symbols, retroactive)
        return (toProtocols, found ?? [])
    }

    private(set) lazy var unnamedInterfaces = Result { () throws(ELFError) in
        try findUnnamedInterfaces()
    }

    /// The libraries that the module needs and that the process does not have yet.
    private(set) lazy var libraries =
        (try? binary.get()).map { Self.search(LinkedLibraries($0.libraries, origin: origin)) }
        ?? LibrarySearch.Outcome()

    /// The files of interface modules, by the modules' ids.
    private var interfaceFiles: [String: InterfaceFile] = [:]

    /// Inspects a module's file where it stands.
    package convenience init(
        _ entry: CatalogEntry, among catalog: Catalog?, in manifest: Manifest?, host: HostProfile
    ) {
        self.init(copy: nil, of: entry, among: catalog, in: manifest, host: host)
    }

    /// Inspects the private copy of a module that is about to be loaded.
    ///
    /// - Parameter copy: `nil` for the module's own file.
    package init(
        copy: String?, held: PrivateCopy? = nil, of entry: CatalogEntry, among catalog: Catalog?,
        in manifest: Manifest?, host: HostProfile
    ) {
        self.held = held
        self.entry = entry
        self.catalog = catalog
        self.manifest = manifest
        self.host = host.allowing(compilers: manifest?.compilers ?? [])
        file = copy ?? entry.loadedFile
        origin = copy.map(Path.parent) ?? manifest.map { ShadowCopy.folder(in: $0.store) }
    }

    func openedBinary() throws(ELFError) -> ELFFile {
        guard let held else { return try ELFFile(file) }
        let opened: OpenFile
        do throws(SystemError) { opened = try held.reopened() } catch { throw .unreadable(error) }
        return try ELFFile(ELFSource(opened, knowing: held.knownContent))
    }

    /// The symbols and libraries of ``file``.
    ///
    /// - Throws: ``ELFError`` if they cannot be read.
    package var report: BinaryReport {
        get throws(ELFError) { try binary.get() }
    }

    /// The definitions of which the host's process keeps the first. Empty if the binary cannot be read, and for a module in a
    /// process of its own.
    package var processWideDefinitions: [ProcessWideDefinition] {
        if held?.finding != nil { return [] }
        return (try? conformances.get().processWide) ?? []
    }

    /// Whether it is linked to Foundation, by which the code of a package finds its resources.
    package var usesFoundation: Bool {
        get throws(ELFError) {
            if held?.finding != nil { return false }
            return try report.needed.contains("libFoundation.so")
        }
    }

    /// The text for the next launch of a module that keeps the rules: the symbol of a protocol, for
    /// ``isInProcess(_:)``, or nothing. `nil` for a module that is to be read at each launch, since other things than its
    /// bytes, the modules, the manifest and the program decide: libraries of the machine, files that a process of its own may
    /// use, or definitions and memory of which a process has one.
    package var finding: String? {
        guard let report = try? binary.get(), (try? conformances.get()) != nil,
            report.staticMemory == 0, processWideDefinitions.isEmpty,
            (try? usesFoundation) == false, libraries == LibrarySearch.Outcome(),
            report.needed.allSatisfy(VettedLibraries.admits), !dependsOnUpperLayers(report),
            !entry.isIsolated || entry.permissions.paths.isEmpty
        else { return nil }
        return entry.declaration?.interfaceStamp.flatMap { protocolDescriptors(in: $0).first } ?? ""
    }

    /// The file of an interface module; `nil` if the catalog has none.
    func interfaceFile(_ id: String) -> InterfaceFile? {
        if let known = interfaceFiles[id] { return known }
        guard case .module(let entry)? = catalog?.interface(id) else { return nil }
        let file = InterfaceFile(entry)
        interfaceFiles[id] = file
        return file
    }

    /// The other modules whose notes can be read.
    var others: [CatalogEntry] {
        catalog?.entries.filter { $0.note != nil && $0.id != entry.id } ?? []
    }

    private static func search(_ libraries: LinkedLibraries) -> LibrarySearch.Outcome {
        // The usual case: the libraries of Swift and no others, and the process has all of them.
        if libraries.auxiliaries.isEmpty, libraries.needed.allSatisfy(VettedLibraries.admits) {
            return LibrarySearch.Outcome()
        }
        return LibrarySearch(places: .host) { HostLibraries.has($0) }.run(libraries)
    }

    /// The libraries that are not on this machine, for a module that is linked to these.
    ///
    /// - Parameter libraries: A text of `LinkedLibraries`.
    package static func missingLibraries(_ libraries: String, in manifest: Manifest) -> [String] {
        let origin = ShadowCopy.folder(in: manifest.store)
        return search(LinkedLibraries(text: libraries, origin: origin)).missing.map(\.name)
    }
}

/// The file of an interface module. Each part is read when it is first asked for.
final class InterfaceFile {
    let entry: CatalogEntry

    /// The symbols that it defines; `nil` if it cannot be read.
    private(set) lazy var symbols = (try? BinaryReport(of: entry.loadedFile)).map {
        Set($0.definedNames())
    }

    private(set) lazy var protocols = entry.declaration?.interfaceStamp.flatMap {
        try? InterfaceProtocols(of: entry.loadedFile, $0)
    }

    init(_ entry: CatalogEntry) { self.entry = entry }
}

extension LibraryPlaces {
    /// The folders in which this process looks for libraries.
    package static let host = {
        let file = "/proc/self/exe"
        let path = Files.resolved(file)
        let program = (try? ELFFile(program: file).dynamicSection()).flatMap { dynamic in
            // Only the dynamic linker itself has a name here: it was started with the program as an argument.
            dynamic.soname == nil
                ? LinkedLibraries(dynamic.libraries, origin: path.map(Path.parent)) : nil
        }
        return LibraryPlaces(listed: HostLibraries.folders, program: program, environment: .atStart)
    }()
}
