// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
public import EavesDiagnostics
package import EavesJSON
package import EavesManifest
package import EavesQuarantine
package import EavesSystem
import EavesTrust

/// A module of a manifest: everything that is known of it without running it.
public struct CatalogEntry: Hashable, Sendable {
    /// The id that the module gives itself; for a file that gives none, its name without `.so`.
    public package(set) var id: String
    /// The file as seen from the manifest's folder, for messages and lists.
    public package(set) var path: String
    /// The file as an absolute path. It need not exist.
    public package(set) var file: String
    /// The folder with the `module.json` that this file is built from, as an absolute path; `nil` if its sources are not
    /// here.
    public package(set) var source: String?
    /// `nil` for a module that is ready, and for one that is disabled.
    package var problem: CatalogProblem?
    /// Whether the id stands for this file; `false` if another file with the same id is used.
    package var isUsed = true
    /// The first file that has the same id and is not used, if the manifest does not say which one is.
    package var rival: String?
    /// Whether the manifest switches the module on.
    public package(set) var isEnabled = true
    package var settings: [JSON.Member] = []
    package var isIsolated = false
    package var limits = IsolationLimits()
    package var permissions = Permissions()
    /// Whether it may take the place of another module, or of an older file, whose state it cannot take on.
    package var discardsState = false
    /// The digest that the manifest demands of the file. The catalog does not check it: only the bytes
    /// that are loaded count.
    package var sha256: String?
    /// A number for what decides whether the file's signature counts: another one if any of that has changed. `nil` if
    /// the manifest demands no signatures.
    package var seal: Int?
    /// The file when its note was read; `nil` if there is no file.
    package var status: FileStatus?
    /// The libraries that the file is linked to, as `LinkedLibraries.text` has them; `nil` if that is not known.
    var libraries: String?
    /// The protocols of interface modules that the file declares or implements.
    package var protocols = ModuleProtocols()

    /// The file that takes the place of the module's own, if a host does not load that.
    var boxedStandIn: Boxed<StandIn>?
    private var boxedNote: Boxed<ModuleNote>?
    private var sourceDeclaration: Boxed<ModuleDeclaration>?

    package init(
        id: String, path: String, file: String, note: ModuleNote? = nil,
        source declaration: ModuleDeclaration? = nil
    ) {
        self.id = id
        self.path = path
        self.file = file
        boxedNote = note.map { Boxed($0) }
        sourceDeclaration = declaration.map { Boxed($0) }
    }

    /// Whether it runs in the same kind of process as another state of the module, with the same limits and rights.
    package func hasSamePlace(as other: CatalogEntry) -> Bool {
        isIsolated == other.isIsolated
            && (!isIsolated || limits == other.limits && permissions == other.permissions)
    }

    /// The note of the file; `nil` if there is no file, or its note cannot be read.
    package var note: ModuleNote? { boxedNote?.value }

    /// The declaration in ``note``, else the one in ``source``.
    package var declaration: ModuleDeclaration? {
        boxedNote?.value.declaration ?? sourceDeclaration?.value
    }

    /// The services that the module provides, as people write them, each once.
    package func listedServices(_ names: ServiceNames) -> [String] {
        guard let provides = declaration?.provides else { return [] }
        let words = provides.map { names.shown($0.service) }
        if words.count < 2 { return words }
        var seen: Set<String> = []
        return words.filter { seen.insert($0).inserted }
    }

    package func listedRequirements(_ names: ServiceNames) -> [String] {
        (declaration?.requires ?? []).map(names.shown)
    }

    /// The names of the services that the module itself declares, for a module that stands alone.
    package var ownNames: ServiceNames { ServiceNames(of: declaration.map { [$0] } ?? []) }

    /// The state, which says whether a host can load the module.
    public var state: ModuleState { isEnabled ? problem?.state ?? .ready : .disabled }

    package var isBuildable: Bool { isUsed && source != nil && declaration != nil }

    /// Whether others can use the module's services and features: it is ready, or a build makes it ready.
    package var isAvailable: Bool {
        switch state {
        case .ready: true
        case .missing, .invalid, .incompatible: isMendedByBuild
        case .disabled, .untrusted, .quarantined: false
        }
    }

    private var isMendedByBuild: Bool {
        switch problem {
        case .binary, .note, .incompatible, .unloadable, .notBuilt: isBuildable
        // A build of the interface may mend the module, whose own sources need not be here.
        case .interfaces(let problems): problems.allSatisfy { $0.isMended(byBuilding: self) }
        default: false
        }
    }

    var isNotBuilt: Bool { if case .notBuilt = problem { true } else { false } }

    package var suspect: SuspectModule { SuspectModule(id: id, path: path, file: file) }

    // MARK: The steps in which a scan makes an entry

    /// The entry of a file, with the problem that the host of this profile has with it, if it has one.
    ///
    /// - Parameters:
    ///   - file: An absolute path.
    ///   - path: The file's name in messages.
    init(_ content: ModuleContent, file: String, shownAs path: String, profile: HostProfile) {
        self.init(
            id: content.note?.declaration.id ?? Self.idGuess(for: file), path: path, file: file)
        take(content)
        problem = content.problem(in: profile).map { CatalogProblem($0) }
    }

    /// The entry of a module that has sources and no file yet.
    init(
        notBuilt source: SourceFolder, _ declaration: ModuleDeclaration, file: String, path: String
    ) {
        self.init(id: declaration.id, path: path, file: file, source: declaration)
        self.source = source.path
        problem = .notBuilt(folder: source.path)
    }

    mutating func take(_ content: ModuleContent) {
        boxedNote = content.note.map { Boxed($0) }
        status = content.status
        libraries = content.libraries
        protocols = content.protocols
        problem = nil
    }

    /// Notes the folder that this file is built from.
    mutating func isBuilt(from source: SourceFolder, _ declared: ModuleDeclaration) {
        self.source = source.path
        if declaration == nil { sourceDeclaration = Boxed(declared) }
        if problem?.state == .missing { problem = .notBuilt(folder: source.path) }
    }

    /// The file's name without `.so`, made printable.
    static func idGuess(for file: String) -> String {
        let name = Path.name(of: file)
        return name.hasSuffix(DirectorySurvey.suffix) && name.utf8.count > 3
            ? String(name.dropLast(DirectorySurvey.suffix.count)) : name
    }
}

/// The states of a module, which say whether a host can load it. Scripts rely on the names:
/// `eaves list --json` prints them.
public enum ModuleState: String, CaseIterable, Sendable {
    /// No check that works without running the module speaks against it.
    case ready
    /// The manifest switches the module off.
    case disabled
    /// There is no file.
    case missing
    /// The file is no module, or declares something that cannot be true.
    case invalid
    /// The module was built for another host, or for interfaces that are not there.
    case incompatible
    /// A digest is not the expected one, a signature does not count, or others can change the file.
    case untrusted
    /// The module crashed too often.
    case quarantined

    /// The state of a module that a host would not load for a reason with this exit code.
    package init(refusedWith code: FailureCode) {
        self =
            switch code {
            case .incompatible: .incompatible
            case .untrusted: .untrusted
            default: .invalid
            }
    }
}

/// A large value behind a reference, so that a list of a thousand entries is quick to copy.
///
/// It asks its value for no conformance: for a conformance of a generic type, the runtime searches the
/// whole process when the type is first used.
final class Boxed<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Boxed: Equatable where Value: Equatable {
    static func == (left: Boxed, right: Boxed) -> Bool {
        left === right || left.value == right.value
    }
}

extension Boxed: Hashable where Value: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

// The words of an entry for a program that has a host.
extension CatalogEntry {
    /// The version that the module declares; `nil` if it cannot be read.
    public var version: String? { declaration?.version }
    /// The purpose of the module, in one line. May be empty.
    public var summary: String { declaration?.summary ?? "" }
    /// The services that the module declares to provide, by the names of their protocols, each once. Where two
    /// interfaces of the module have protocols of one name, the name has the Swift module in front: `WeatherAPI.Clock`.
    public var provides: [String] { listedServices(ownNames) }
    /// The services that the module asks other modules for, named in the same way.
    public var requires: [String] { listedRequirements(ownNames) }
    /// The reasons why the module cannot be used as it is. A module that is ready has one if its own file is kept out, so
    /// that its last good file takes the place of it; else it has none, as one that is disabled.
    public var problems: [Diagnostic] { diagnostics + [standInWarning].compactMap(\.self) }

    /// The rival as the catalog has it.
    package var rivalEntry: CatalogEntry? {
        guard let rival else { return nil }
        var entry = CatalogEntry(id: id, path: rival, file: rival)
        entry.problem = .duplicateID(used: path)
        return entry
    }

    /// The warnings about a module that is loaded all the same.
    package var warnings: [Diagnostic] {
        [standInWarning].compactMap(\.self) + (rivalEntry?.diagnostics ?? [])
    }
}

// The last good file of a module whose own file is kept out.
extension CatalogEntry {
    /// A file that takes the place of the module's own.
    package struct StandIn: Hashable, Sendable {
        package let file: LastGoodFile
        let own: CatalogEntry
    }

    /// The last good file, if a host loads that in the place of the module's own, which is kept out. Everything else
    /// that the entry says is about this file then, except ``path`` and ``file``.
    package var standIn: StandIn? { boxedStandIn?.value }

    /// The file that a host loads, as an absolute path.
    package var loadedFile: String { standIn?.file.path ?? file }

    /// The module with its own file, also if that is kept out.
    package var own: CatalogEntry { standIn?.own ?? self }

    /// The warning that a module's own file is kept out, and which one is loaded instead; `nil` for a module whose own
    /// file is loaded.
    package var standInWarning: Diagnostic? {
        guard let standIn, let reason = standIn.own.diagnostics.first else { return nil }
        return Diagnostic(
            "\(reason.message); the last good file takes its place: \(standInWords)",
            fix: reason.fix, code: reason.code)
    }

    /// The version of the last good file, and since when it is kept: `version 1.0.0, kept since …`. Empty for a module
    /// whose own file is loaded.
    package var standInWords: String {
        guard let standIn else { return "" }
        let version = declaration?.version ?? ""
        return "version \(version), kept since \(WallClock.text(of: standIn.file.since))"
    }

    /// The module when its own file is kept out. Its last good file takes the place of it, if there is one, if a host
    /// would load it, and if the manifest demands no other bytes.
    func keptOut(
        because record: QuarantineRecord, for host: ScanningHost,
        knowing findings: inout ScanFindings
    ) -> CatalogEntry {
        var own = self
        own.problem = .quarantined(record)
        guard let (file, content) = findings.lastGoodFiles.find(id),
            sha256 == nil || sha256 == file.digest.hex,
            findings.quarantine.obstacle(to: id, file.digest) == nil,
            let declaration = content.note?.declaration, declaration.id == id,
            content.problem(in: host.profile) == nil
        else { return own }
        let version = ModuleVersion(declaration.version)
        if let least = host.manifest.entry(id)?.leastVersion, version.isOlder(than: least) {
            return own
        }
        var entry = self
        entry.take(content)
        entry.boxedStandIn = Boxed(StandIn(file: file, own: own))
        return entry
    }
}

/// The last good files of a manifest's modules, each read and compared with its digest once.
struct LastGoodFiles: Sendable {
    typealias Found = (file: LastGoodFile, content: ModuleContent)

    private let store: LastGoodStore
    private var known: [String: Found?] = [:]

    init(_ manifest: Manifest) {
        store = LastGoodStore(manifest.store)
    }

    mutating func find(_ id: String) -> Found? {
        if let known = known[id] { return known }
        let found = store.file(of: id).map { ($0, ModuleContent($0.path)) }
        known[id] = .some(found)
        return found
    }
}

extension Catalog {
    /// A module as hosts would have it if its own file were kept out, and its last good file took its place.
    ///
    /// - Parameters:
    ///   - reason: Why the file were kept out.
    ///   - digest: The digest of the file.
    /// - Returns: `nil` if no host would load a last good file, or if that is the module's own one.
    package func entry(
        _ id: String, keptOutBecause reason: String, _ digest: SHA256Digest
    ) -> CatalogEntry? {
        guard let entry = entry(id), entry.standIn == nil else { return nil }
        let record = QuarantineRecord(
            keepingOut: id, entry.path, digest, since: WallClock.second, because: reason)
        var findings = ScanFindings(host.manifest)
        let kept = entry.keptOut(because: record, for: host, knowing: &findings)
        guard let standIn = kept.standIn, standIn.file.digest != digest else { return nil }
        return kept
    }
}
