// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
package import EavesDiagnostics
package import EavesELF
import EavesJSON
package import EavesManifest
package import EavesQuarantine
package import EavesSystem
package import EavesTrust

/// The reason why a host cannot load a module as it is.
package enum CatalogProblem: Hashable, Sendable {
    case binary(ELFError)
    /// The file is a shared object and does not say that it is a module.
    case note(NoteError)
    case incompatible(CompatibilityProblem)
    /// A host would not load the file, for these reasons: something that it demands of the bytes, or that its
    /// code would lack. A scan looks for them only where files share an id, or one lacks a library. Never empty.
    case unloadable([Diagnostic])
    /// The `module.json` that the module would be built from is wrong.
    case declaration(DeclarationError)
    /// There are sources in this folder, and no file yet.
    case notBuilt(folder: String)
    /// The manifest names a module that is nowhere. `known` are the modules that exist.
    case unknownModule(ManifestPlace, known: [String])
    /// The manifest lists the file under another id than the file's own, which is the text.
    case otherID(String, ManifestPlace)
    /// Another module with this id, at the path `used`, is used.
    case duplicateID(used: String)
    /// The module's layer is `core`, and it declares that it requires what only features or compositions provide.
    case layer([UpwardNeed])
    /// The module names interfaces that it cannot have as they are, or must not name. Never empty.
    case interfaces([InterfaceProblem])
    /// Another user may have put the file there, or may change it. So nothing that it says counts.
    case untrusted(TrustError)
    case quarantined(QuarantineRecord)

    package var state: ModuleState {
        switch self {
        case .binary(.unreadable(let error)) where error.errno.meansMissing: .missing
        case .binary(.wrongClass), .binary(.wrongByteOrder), .binary(.wrongSystem), .incompatible:
            .incompatible
        case .notBuilt, .unknownModule: .missing
        case .untrusted: .untrusted
        case .quarantined: .quarantined
        case .unloadable(let reasons): ModuleState(refusedWith: reasons[0].code)
        case .interfaces(let problems): problems[0].state
        case .binary, .note, .declaration, .otherID, .duplicateID, .layer: .invalid
        }
    }

    package init(_ problem: ContentProblem) {
        self =
            switch problem {
            case .binary(let error): .binary(error)
            case .note(let error): .note(error)
            case .incompatible(let problem): .incompatible(problem)
            }
    }

    fileprivate var message: String {
        switch self {
        case .binary(let error): error.message
        case .note(let error): error.message
        case .incompatible(let problem): problem.message
        case .notBuilt: "it is not built yet"
        case .duplicateID(let used):
            "another module has the same id, and eaves uses that one: \(used)"
        case .layer(let needs):
            "its layer is 'core', and it requires what only features or compositions provide: "
                + needs.map(\.description).joined(separator: ", ")
        case .quarantined(let record): record.message
        // `diagnostics` above has the words of these.
        case .unloadable, .declaration, .unknownModule, .otherID, .untrusted, .interfaces:
            ""
        }
    }

    fileprivate var code: FailureCode {
        switch (self, state) {
        case (.binary(.unreadable(let error)), _): error.diagnostic.code
        case (_, .incompatible): .incompatible
        case (_, .missing): .notFound
        case (_, .quarantined): .crashed
        default: .badData
        }
    }
}

// The words.
extension CatalogEntry {
    /// The module's problem in words: one message for each mistake. Empty if it has no problem.
    package var diagnostics: [Diagnostic] {
        guard let problem else { return [] }
        switch problem {
        case .declaration(let error): return error.diagnostics
        case .unloadable(let reasons): return reasons
        case .interfaces(let problems): return problems.flatMap { $0.diagnostics(of: self) }
        case .note(.declaration(let problems)):
            return problems.map {
                Diagnostic(
                    "\(id): its note is wrong: \($0.message) (\(path))", fix: rebuild,
                    code: .badData)
            }
        case .unknownModule(let place, let known):
            let question = NearMatch.suffix(for: id, among: known)
            return [
                Diagnostic(
                    "\(place): there is no module \(id.quoted)\(question)",
                    fix:
                        "correct or remove the id; or build the module, put it into a directory of "
                        + "'directories', or name its 'library'",
                    code: .notFound)
            ]
        case .otherID(let own, let place):
            return [
                Diagnostic(
                    "\(place): expected a module \(id.quoted), found \(own.quoted) "
                        + "(\(path))",
                    fix: "list it as \(own.quoted), or name the library of \(id.quoted)",
                    code: .badData)
            ]
        case .untrusted(let error):
            return [error.diagnostic(ofModule: id, path: path, file: file)]
        default:
            let message = "\(id): \(problem.message) (\(path))"
            return [Diagnostic(message, fix: fix(for: problem), code: problem.code)]
        }
    }

    /// The command that makes a better file, or other advice.
    private var rebuild: String {
        isBuildable
            ? "run 'eaves build \(id.shellWord)'"
            : "build it again with 'eaves build FOLDER', or remove \(path.shellPath)"
    }

    private func fix(for problem: CatalogProblem) -> String {
        switch problem {
        case .binary(.unreadable(let error)) where error.errno == .permissionDenied:
            "check the owner and permissions of \(path.shellPath)"
        case .binary(.unreadable(let error)) where error.errno.meansMissing:
            "build it, or correct the path"
        case .binary(.unreadable(let error)) where error.errno == .nameIsNotText:
            "give it a name in UTF-8"
        case .binary(.notAFile): "move it away, or give it a name without '.so'"
        case .binary(.empty), .binary(.notELF), .binary(.truncated), .binary(.malformed):
            isBuildable ? rebuild : "copy it again from where it was built, or remove it"
        case .notBuilt: "run 'eaves build \(id.shellWord)'"
        case .incompatible(.machine(_, let host)):
            isBuildable ? rebuild : "get a build of it for \(host)"
        case .incompatible(.compiler(let built, _, _)) where !isBuildable:
            HostProfile.seriesName(of: built).map {
                rebuild + ", or allow its compiler in the manifest: \"compilers\": [\"\($0)\"]"
            } ?? rebuild
        case .duplicateID(let used):
            "remove \(used.shellPath) or \(path.shellPath), "
                + "or name the one to use in the manifest: modules.\(id).library"
        case .layer: LayerRule.fix
        case .quarantined:
            "mend it and \(isBuildable ? "run 'eaves build \(id.shellWord)'" : "put it in place again"), "
                + "or let it in as it is with 'eaves quarantine clear \(id.shellWord)'"
        default: rebuild
        }
    }
}

extension Sequence<CatalogEntry> {
    /// The problems of several modules in words. Of the files that are not used because another file has
    /// their id, it names the first three of each id, and counts the others.
    package var diagnostics: [Diagnostic] { diagnostics(of: \.diagnostics) }

    /// The same for people: one message for all modules that lack the same interface, and one for those that are not
    /// built.
    package var mergedDiagnostics: [Diagnostic] {
        var users: [InterfaceProblem: [CatalogEntry]] = [:]
        for entry in self where entry.isUsed {
            guard case .interfaces(let problems) = entry.problem else { continue }
            for problem in problems { users[problem, default: []].append(entry) }
        }
        let unbuilt = filter { $0.isUsed && $0.isNotBuilt }.map(\.id)
        if users.isEmpty, unbuilt.count < 2 { return diagnostics }
        return diagnostics { entry in
            switch entry.problem {
            case .interfaces(let problems):
                return problems.flatMap { problem in
                    users.removeValue(forKey: problem).map {
                        [problem.diagnostic(of: $0)] + problem.causes
                    } ?? []
                }
            case .notBuilt where unbuilt.count > 1:
                guard entry.id == unbuilt.first else { return [] }
                return [
                    Diagnostic(
                        "\(unbuilt.count) modules are not built yet: \(unbuilt.abridged(by: ", "))",
                        fix: "run 'eaves build'", code: .notFound)
                ]
            default:
                return entry.diagnostics
            }
        }
    }

    private func diagnostics(of used: (CatalogEntry) -> [Diagnostic]) -> [Diagnostic] {
        var found: [Diagnostic] = []
        var unused: [(id: String, count: Int)] = []
        for entry in self {
            if entry.isUsed {
                found += used(entry)
                continue
            }
            // Entries with one id stand together.
            if unused.last?.id != entry.id { unused.append((entry.id, 0)) }
            unused[unused.count - 1].count += 1
            if unused[unused.count - 1].count <= 3 { found += entry.diagnostics }
        }
        for (id, count) in unused where count > 3 {
            found.append(
                Diagnostic(
                    "\(id): \(count - 3) more files have this id and are not used",
                    fix: "see them with 'eaves list', and remove those that you do not need",
                    code: .badData))
        }
        return found
    }
}

/// The manifest isolates or pins modules that are nowhere, or limits their rights.
package struct UnknownModulesError: Error, DiagnosableList {
    /// Never empty.
    let entries: [CatalogEntry]

    package var diagnostics: [Diagnostic] {
        entries.flatMap(\.diagnostics).map { Diagnostic($0.message, fix: $0.fix, code: .badData) }
    }
}

extension ModuleEntry {
    /// Whether a host gives the module less rights, or refuses more of its files, than without this entry.
    var isProtected: Bool {
        isEnabled
            && (isIsolated || sha256 != nil || leastVersion != nil || permissions != Permissions())
    }
}

/// A directory, module or service that the manifest refers to, and that is not as the manifest says.
package enum ManifestReferenceProblem: Hashable, Sendable {
    case directory(String, ManifestPlace, SystemError)
    case unknownModule(String, ManifestPlace, known: [String])
    /// A service is bound to a module that does not provide it; `providers` do. The binding may be shared
    /// with other modules.
    case notProvided(BindingKey, by: String, ManifestPlace, providers: [String], isShared: Bool)
    case unknownService(String, ManifestPlace, known: [String])
    /// The word of a service is bound, and another binding names the service in full, and decides.
    case repeatedService(BindingKey, ManifestPlace, decided: ManifestPlace)

    /// Compares the manifest's bindings with what the modules declare.
    ///
    /// A module that cannot be read causes no second message here.
    static func all(
        in manifest: Manifest, entries: [CatalogEntry], indexByID: [String: Int]
    ) -> [ManifestReferenceProblem] {
        guard !manifest.bindings.isEmpty else { return [] }
        let declarations = entries.compactMap(\.declaration)
        let known = Set(
            declarations.flatMap { $0.provides.map(\.service) + $0.requires }.map(ServiceName.word))
        // There may be very many of all of them.
        let (services, modules) = (known.sorted(), indexByID.keys.sorted())
        let qualified = Dictionary(
            grouping: manifest.bindings.filter { $0.key != $0.key.word }, by: \.key.word)
        return manifest.bindings.flatMap { binding in
            let (key, place) = (binding.key, manifest.place(of: binding))
            // If two services have the word, it is about the one that its module provides.
            let bound = binding.modules.compactMap { indexByID[$0] }.map { entries[$0].declaration }
            var problems: [ManifestReferenceProblem] = (qualified[key] ?? []).filter { other in
                bound.contains { $0?.answers(for: other.key) == true }
            }.map { .repeatedService(key, place, decided: manifest.place(of: $0)) }
            for module in binding.modules {
                guard let index = indexByID[module] else {
                    problems.append(.unknownModule(module, place, known: modules))
                    continue
                }
                guard let declaration = entries[index].declaration, !declaration.answers(for: key)
                else { continue }
                guard known.contains(ServiceName.word(key.service)) else {
                    problems.append(.unknownService(key.service, place, known: services))
                    break
                }
                let providers = Set(declarations.filter { $0.answers(for: key) }.map(\.id)).sorted()
                problems.append(
                    .notProvided(
                        key, by: module, place, providers: providers,
                        isShared: binding.weights != nil))
            }
            return problems
        }
    }

    // MARK: Words

    package var diagnostic: Diagnostic { Diagnostic(message, fix: fix, code: code) }

    private var message: String {
        switch self {
        case .directory(let name, let place, let error):
            "\(place): cannot list the directory \(name.quoted): \(error.errno)"
        case .unknownModule(let id, let place, let known):
            "\(place): there is no module \(id.quoted)"
                + NearMatch.suffix(for: id, among: known)
        case .notProvided(let key, let id, let place, let providers, _):
            "\(place): \(id.quoted) does not provide \(key.service), "
                + (providers.isEmpty
                    ? "and neither does any other module"
                    : "these modules do: \(providers.abridged(by: ", "))")
        case .unknownService(let service, let place, let known):
            "\(place): no module provides \(service) or requires it"
                + NearMatch.suffix(for: service, among: known)
        case .repeatedService(let key, let place, let decided):
            "\(place): \(key.text) is bound twice, and this binding has no effect: \(decided) goes before it"
        }
    }

    private var fix: String {
        switch self {
        case .directory(let name, _, let error):
            error.errno == .noSuchFile
                ? "create \(name.quoted), or take it out of 'directories'"
                : "make \(name.quoted) a directory that can be read"
        case .unknownModule:
            "bind it to one that 'eaves list' shows, or put the module into a directory"
        case .notProvided(let key, _, _, let providers, let isShared):
            isShared && !providers.isEmpty
                ? "give its weight to \(providers.abridgedChoice()), or remove it from the binding"
                : providers.first.map { "run 'eaves swap \(key.text.shellWord) \($0)'" }
                    ?? "remove the binding, or add a module that provides \(key.service)"
        case .unknownService:
            "correct its name, or remove the binding"
        case .repeatedService: "remove one of the two"
        }
    }

    private var code: FailureCode {
        switch self {
        case .directory(_, _, let error): error.diagnostic.code
        case .unknownModule: .notFound
        case .notProvided, .unknownService, .repeatedService: .configuration
        }
    }
}

extension ModuleDeclaration {
    /// Whether a service can be bound to the module: a named one to a module that provides it without a name, too.
    package func answers(for key: BindingKey) -> Bool {
        guard let name = key.name else { return provides(key.service) }
        return declares(.service(key.service, name: name))
            || declares(.service(key.service, name: nil))
    }
}
