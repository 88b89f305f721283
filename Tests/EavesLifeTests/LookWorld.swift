// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesInterface
import EavesManifest
import EavesSystem
import EavesTestSupport
import Synchronization

@testable import EavesCatalog
@testable import EavesLife
@testable import EavesLoader
@testable import EavesModules
@testable import EavesQuarantine
@testable import EavesRegistry

/// A host and a disk that are values: everything that a ``Look`` knows and may be told, with no file, no thread and no
/// module's code. ``Event`` lists what changes it. `LookWorld+Steps.swift` and `LookWorld+Switch.swift` alone call the plan.
final class LookWorld {
    protocol Alpha: Sendable {}
    protocol Beta: Sendable {}

    static let requests = [
        "Alpha": ServiceRequest((any Alpha).self), "Beta": ServiceRequest((any Beta).self),
    ]

    /// A content that the file of a module may have. What its code does is part of it.
    enum Trait: String, CaseIterable, CustomStringConvertible {
        case noModule, cutShort, interface
        /// It has something to start, or also a state.
        case living, stateful
        case doesNotLoad, hangs, hasOldTypes, doesNotStart
        /// It was built with the file that the interface `i` has now, and needs what that alone has.
        case needsInterface
        /// It does not take on the state of another object.
        case cannotRestore
        /// Its calls fail.
        case bad

        var description: String { ".\(rawValue)" }
    }

    struct Content: Sendable {
        let number: Int
        var traits: [Trait] = []
        var provides: [String] = []
        var requires: [String] = []
    }

    /// A module as the disk has it.
    struct Module: Sendable {
        /// All contents that its file has had, by their numbers, from 1.
        var contents: [Content] = []
        /// The number of the one that it has now; `nil` if there is no file.
        var present: Int?
        var isEnabled = true
        var isIsolated = false
        var mayLoseState = false
        var settings = 0
        /// The number of the content that its signature is for.
        var signature: Int?
        /// How often the file got another time, and kept its content.
        var touches = 0

        var content: Content? { present.map { contents[$0 - 1] } }
    }

    var disk: [String: Module] = [:]
    /// The module that the manifest binds a service to, and the one that shares its calls.
    var bindings: [String: (module: String, canary: String?, weight: Int)] = [:]
    var isOneAtATime = false
    var judges = true
    var isManifestReadOnly = false
    var isManifestWrong = false
    /// Those of the lists of signers and of revoked keys that do not allow the key; `nil` if no signatures are demanded.
    var spoilt: Set<String>?
    /// The contents that the store keeps out, by the ids of their modules; `nil` without a store.
    var quarantine: [String: Set<Int>]?
    /// The contents whose copies the store keeps as the last good ones.
    var lastGood: [String: Int] = [:]

    var running = Running()
    /// The modules that services come from.
    var served: [String: String] = [:]
    /// The manifest and the modules that the host goes by.
    var outlook: Outlook
    /// The disk as it was read last; `nil` if it has changed since.
    var known: Outlook?
    /// The manifests so far, by their texts.
    private var manifests: [String: Manifest] = [:]
    var hasLooked = false, isLooking = false
    var now = ContinuousClock.now
    /// The modules that other threads load now, and those of them that never come back.
    var loading: Set<String> = [], stuck: Set<String> = []
    /// The modules with calls that do not end, and those whose old objects are kept.
    var busy: Set<String> = [], kept: [String: [RetiredInstances]] = [:]
    var hasRoom = true
    /// The events that follow the next steps, one each.
    var meanwhile: [Event] = []
    /// The number of the newest generation, and how often the host was killed.
    var number = 0, kills = 0

    /// The steps and the changes since this was last emptied.
    var steps: [String] = [], told: [String] = []
    /// The things that no plan may do. A history that is right has none.
    var mistakes: [String] = []
    /// The entries that were refused or judged to be bad, by their ids, as long as the disk has them.
    var rejected: [String: CatalogEntry] = [:]

    init() throws { outlook = try Self.empty.get() }

    func check(_ isRight: Bool, _ words: @autoclosure () -> String) {
        if !isRight { mistakes.append(words()) }
    }
}

// The disk as a catalog has it.
extension LookWorld {
    func entry(_ id: String, _ module: Module, _ content: Content) -> CatalogEntry {
        let isModule = !content.traits.contains { $0 == .noModule || $0 == .cutShort }
        var declaration = ModuleDeclaration.sample(
            id, provides: content.provides, requires: content.requires)
        declaration.version = "\(content.number).0.0"
        let isInterface = content.traits.contains(.interface)
        if isInterface { declaration.layer = .interface }
        if content.traits.contains(.needsInterface) {
            declaration.interfaces = [InterfaceNeed("i")]
        }
        var entry = CatalogEntry(
            id: id, path: "\(id).so", file: "/nowhere/\(id).so",
            note: isInterface ? ModuleNote(declaration: declaration, tag: .sample) : nil,
            source: isModule ? declaration : nil)
        entry.status = FileStatus(
            kind: .file, device: 1, inode: UInt64(content.number), size: 1,
            modified: Int64(module.touches), changed: 1, owner: 0, group: 0, mode: 0o644)
        entry.seal = spoilt.map { [$0.hashValue, module.signature ?? 0].hashValue }
        if !isModule { entry.problem = .binary(.notELF(start: [])) }
        if quarantine?[id]?.contains(content.number) == true {
            entry.problem = .quarantined(
                QuarantineRecord(
                    keepingOut: id, "\(id).so", Self.code(of: entry).digest, since: 1,
                    because: "its calls failed"))
            return standIn(of: id, module, for: entry) ?? entry
        }
        return entry
    }

    /// The last good file in the place of a module's own one, which is kept out.
    private func standIn(
        of id: String, _ module: Module, for own: CatalogEntry
    ) -> CatalogEntry? {
        guard let number = lastGood[id], quarantine?[id]?.contains(number) == false else {
            return nil
        }
        var good = entry(id, module, module.contents[number - 1])
        // The copy is another file.
        good.status?.device = 2
        let digest = Self.code(of: good).digest
        good.boxedStandIn = Boxed(
            CatalogEntry.StandIn(
                file: LastGoodFile(path: "/nowhere/good.so", digest: digest, since: 1), own: own))
        return good
    }

    func content(of entry: CatalogEntry) -> Content {
        let number = entry.status.map { Int($0.inode) }
        return number.flatMap { disk[entry.id]?.contents[$0 - 1] } ?? Content(number: 0)
    }

    /// The code of a content, which is the same object in all worlds. No file has it.
    static func code(of entry: CatalogEntry) -> LoadedCode {
        let text = "\(entry.id) \(entry.status?.inode ?? 0)"
        return codes.withLock { codes in
            if let code = codes[text] { return code }
            guard let copy = try? PrivateCopy(Array(text.utf8), id: entry.id) else {
                preconditionFailure("the process has no room for a few small files")
            }
            let code = LoadedCode(nil, of: entry, from: copy, signedBy: nil)
            codes[text] = code
            return code
        }
    }

    private static let codes = Mutex<[String: LoadedCode]>([:])

    /// The manifest's text.
    private var text: String {
        let bindings = bindings.sorted { $0.key < $1.key }.map { service, bound in
            bound.canary.map { canary in
                #""\#(service)": { "\#(bound.module)": \#(100 - bound.weight), "#
                    + #""\#(canary)": \#(bound.weight), "by": "call" }"#
            } ?? #""\#(service)": "\#(bound.module)""#
        }
        let modules = disk.sorted { $0.key < $1.key }.map { id, module in
            #""\#(id)": { "enabled": \#(module.isEnabled), "discardState": \#(module.mayLoseState), "#
                + #""settings": { "number": \#(module.settings) }"#
                + (module.isIsolated ? #", "isolation": "process" }"# : " }")
        }
        return """
            { "manifest": 1, "directories": [], "bindings": { \(bindings.joined(separator: ", ")) },
              "modules": { \(modules.joined(separator: ", ")) },
              "probation": \(judges ? #"{ "oneAtATime": \#(isOneAtATime) }"# : "false") }
            """
    }

    /// The disk as a look finds it. Without a change, that is the same value as before.
    func readDisk() throws -> Outlook {
        if let known, !isManifestWrong, running.services.allSatisfy({ $0.value.ruling == nil }) {
            return known
        }
        var manifest = outlook.manifest
        if isManifestWrong {
            if running.cannotRead(because: [Diagnostic("wrong", code: .badData)]) {
                told.append("kept: wrong")
            }
        } else {
            let text = text
            let parsed =
                try manifests[text]
                ?? Manifest(path: "/nowhere/manifest.json", bytes: Array(text.utf8))
            manifests[text] = parsed
            _ = running.shareCalls(besides: parsed.choices)
            manifest = running.read(parsed)
        }
        let entries = disk.compactMap { id, module in
            module.content.map { (id, entry(id, module, $0)) }
        }
        let outlook = Outlook(
            try Self.empty.get(), choosing: manifest,
            standing: Dictionary(uniqueKeysWithValues: entries))
        known = isManifestWrong ? nil : outlook
        return outlook
    }

    /// A disk without modules, which all worlds begin with.
    private static let empty = Result {
        let text = #"{ "manifest": 1, "directories": [] }"#
        let empty = Outlook(try Manifest(path: "/nowhere/manifest.json", bytes: Array(text.utf8)))
        // Later catalogs take over that there is nothing.
        precondition(empty.catalog.entries.isEmpty)
        return empty
    }
}

// The state in words.
extension LookWorld {
    /// Modules that are known, then services: `a 2 on trial after 1, refuses 3; Alpha a`.
    var state: String {
        let modules = running.modules.sorted { $0.key < $1.key }.compactMap { id, life in
            let words = words(of: life)
            return words.isEmpty ? nil : "\(id) \(words)"
        }
        let services = Self.requests.keys.sorted().compactMap { service -> String? in
            guard let module = served[service] else { return nil }
            let words = words(of: running[service: Self.key(of: service)])
            return ([service, module] + words).joined(separator: " ")
        }
        return (modules + services).joined(separator: "; ")
    }

    private func words(of life: ModuleLife) -> String {
        func number(_ entry: CatalogEntry) -> String { "\(content(of: entry).number)" }
        var words = life.loaded.map { [number($0.entry)] } ?? []
        if case .file(let before)? = life.trial?.cause {
            words.append("on trial after \(number(before.entry))")
        }
        if case .waiting(let entry)? = life.serving?.file {
            words.append("lets \(number(entry)) wait")
        }
        if let refusal = life.refusal { words.append("refuses \(number(refusal.entry))") }
        if life.isUnfinished { words.append("unfinished") }
        if let retreat = life.retreat {
            words.append("goes back to \(retreat.to.map { number($0.entry) } ?? "the copy")")
        }
        let again = [life.refusal?.again] + life.untaken.map(\.again)
        if again.contains(where: { $0?.next != nil }) { words.append("put off") }
        if let failure = life.failure { words.append("cannot load \(number(failure.entry))") }
        if (life.refusal?.error ?? life.failure)?.freshProcess != nil {
            words.append("wants a fresh process")
        }
        words += life.untaken.filter(\.holds).map { "takes no state of \($0.from.id)" }.sorted()
        return words.joined(separator: ", ")
    }

    private func words(of life: ServiceLife) -> [String] {
        var words: [String] = []
        if case .binding(_, let from)? = life.trial?.cause {
            words.append("on trial after \(from)")
        }
        if let shares = life.shares {
            words.append(contentsOf: shares.canaries.map { "\($0.weight) of 100 \($0.module)" })
        }
        words += life.canaries.map { "judges \($0.module)" }
        if life.ruling != nil { words.append("ruled") }
        if life.told != nil { words.append("told") }
        return words
    }

    static func key(of service: String) -> String {
        requests[service].map { Capability($0).key } ?? ""
    }

    /// The change in words.
    func words(_ change: HostChange) -> String {
        func words(_ one: HostGeneration) -> String {
            ([one.module]
                + [one.version?.split(separator: ".").first.map(String.init)].compactMap(\.self))
                .joined(separator: " ")
        }
        func reason(_ error: HostError) -> String { error.problems.first?.message ?? "" }
        return switch change {
        case .swapped(let new, let old): "\(words(old)) → \(words(new))"
        case .bound(let service, let from, let to): "\(service): \(from ?? "none") → \(to)"
        case .stopped(let one): "\(words(one)) stopped"
        case .refused(let one, _): "\(words(one)) refused: \(one.problems.first?.message ?? "")"
        case .kept(let error): "kept: \(reason(error))"
        case .retired(let one): "\(words(one)) retired"
        case .lingering(let one, _): "\(words(one)) lingers"
        case .stateLost(let error): "state lost: \(reason(error))"
        case .shared(let service, let shares):
            "\(service): \(shares.map { "\($0.module) \($0.weight)" }.joined(separator: " "))"
        case .rolledBack(let retreat): "\(retreat.module) bad"
        case .proven(let module, _): "\(module) good"
        }
    }
}

struct Living: Lifecycle {}

struct Stateful: StateHandover {
    func snapshot() -> [UInt8] { [] }
    func restore(_ snapshot: [UInt8]) {}
}
