// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesJSON
import EavesManifest
import EavesModules
import EavesOutput
import EavesQuarantine
import EavesRules
import EavesSystem
import EavesTrust

extension Subcommand {
    static let inspect = Subcommand(
        name: "inspect",
        summary: "show all that is known about a module",
        operands: "FILE-OR-ID",
        completed: [.module],
        options: [.by, .json, .manifest],
        discussion: """
            Reads the module's file, and runs none of its code. The exit code says whether this host
            could load it, also if it is disabled. Where the module shares a binding with others, '--by'
            shows whether it is chosen, as in '--by user=alice'.
            """,
        run: .plain { try $0.inspect() })
}

extension SubcommandCall {
    fileprivate func inspect() throws {
        let operands = ModuleOperands(in: try manifest())
        let report = InspectReport(
            try operands.module(options.operands[0]), among: operands.catalog,
            for: operands.manifest)
        try print(report.json, or: report.text, isPaged: true)
        guard report.problems.isEmpty else { throw CommandError.invalid(report.problems) }
    }

    /// A file can be inspected where there is no manifest, and where the manifest is wrong.
    private func manifest() throws -> Manifest? {
        let isOptional = options.operands[0].namesFile && !options.namesManifest
        return isOptional ? try? options.manifest() : try options.choosingManifest(terminal)
    }
}

struct InspectReport {
    private let entry: CatalogEntry
    private let binary: BinaryReport?
    private let signature: SignatureReport?
    let problems: [Diagnostic]
    /// The services that the module uses and its `requires` does not name.
    private let undeclared: [String]
    /// The symbols of the libraries that it needs which this process defines already.
    private let taken: [TakenSymbol]
    /// The interfaces that the module was compiled against, the one between host and modules first, with the symbols that it
    /// binds to. Empty if the file cannot be read.
    private let uses: [(interface: UsedInterface, symbols: [String])]
    /// The manifest's bindings that name the module. A file has none, since the manifest is not about it.
    private let bindings: [ModuleBinding]
    private let names: ServiceNames
    /// The reasons why the module cannot run in a process of its own, empty if it can; `nil` if that is not known, or if
    /// it is an interface module.
    private let isolationObstacles: [String]?

    /// Reads the module's file, and checks its signature if it has one.
    init(_ entry: CatalogEntry, among catalog: Catalog?, for manifest: Manifest?) {
        self.entry = entry
        binary = try? BinaryReport(of: entry.loadedFile)
        signature = SignatureReport(of: entry, in: manifest)
        names = catalog?.services ?? entry.ownNames
        let inspected = InspectedModule(entry, among: catalog, in: manifest, host: .current)
        problems = entry.diagnostics.isEmpty ? inspected.launchDiagnostics : entry.diagnostics
        undeclared = inspected.undeclaredServices
        taken = inspected.takenSymbols
        uses = inspected.interfaceSymbols
        let isKnown =
            catalog != nil && entry.note.map { $0.declaration.layer != .interface } == true
        isolationObstacles = isKnown ? inspected.isolationObstacles.map(\.words) : nil
        let isOfManifest = catalog.map { $0.entry(entry.id)?.file == entry.file } ?? false
        let listed = isOfManifest ? manifest : nil
        bindings = listed.map { ModuleBinding.all(of: entry.id, in: $0) } ?? []
    }

    var json: JSON {
        let declaration = entry.declaration
        let tag = entry.note?.tag
        return [
            "schema": 1,
            "id": .string(entry.id),
            "path": .string(entry.path),
            "state": .string(state),
            "problems": .array(
                (problems + [entry.standInWarning].compactMap(\.self)).map { .string($0.message) }),
            "version": .text(declaration?.version),
            "summary": .text(declaration?.summary),
            "layer": .text(declaration?.layer.rawValue),
            "owner": .text(declaration?.owner),
            "interfaces": .array((declaration?.interfaces ?? []).map(Self.json)),
            "swiftModule": .text(declaration?.interface?.module),
            "otherModules": .texts(declaration?.interface?.otherModules ?? []),
            "protocols": declaration?.interface.map { .texts($0.protocols) }
                ?? .null,
            "provides": .array((declaration?.provides ?? []).map(json)),
            "requires": .texts(entry.listedRequirements(names)),
            "features": .array((declaration?.features ?? []).map(\.json)),
            "abi": tag.map { .integer($0.abi) } ?? .null,
            "interface": .text(tag?.interface?.description),
            "compiler": .text(tag?.compiler),
            "target": .text(tag?.target),
            "machine": .text(binary?.machine.description),
            "size": entry.status.map { .integer($0.size) } ?? .null,
            "soname": .text(binary?.soname),
            "libraries": .texts(binary?.needed ?? []),
            "takenSymbols": .array(
                taken.map { taken in
                    [
                        "symbol": .string(taken.symbol), "library": .string(taken.library),
                        "definer": .string(taken.definer),
                    ]
                }),
            "undeclared": .texts(undeclared),
            "interfaceSymbols": .integer(uses.reduce(0) { $0 + $1.symbols.count }),
            "uses": .array(
                uses.map { interface, symbols in
                    [
                        "id": .text(interface.id), "module": .string(interface.module),
                        "symbols": .integer(symbols.count),
                    ]
                }),
            "source": .text(entry.source),
            "sha256": .text(entry.sha256),
            "bindings": .array(bindings.map(\.json)),
            "isolation": [
                "process": .bool(entry.isIsolated),
                "obstacles": isolationObstacles.map { .texts($0) } ?? .null,
                "permissions": entry.permissions.json,
                "limits": entry.limits.json,
            ],
            "signature": signature?.json ?? .null,
        ]
    }

    var text: String {
        let declaration = entry.declaration
        let tag = entry.note?.tag
        // An interface module offers nothing that runs.
        let offers = declaration?.layer == .interface ? nil : declaration
        let rows: [(String, String?)] = [
            ("module", [entry.id, declaration?.version].compactMap { $0 }.joined(separator: " ")),
            ("summary", declaration?.summary),
            ("state", state),
            ("file", entry.path + Self.size(of: entry.own)),
            (
                "loaded",
                entry.standIn.map {
                    Path.relative($0.file.path, to: Path.current) + Self.size(of: entry)
                }
            ),
            ("source", entry.source.map { Path.relative($0, to: Path.current) }),
            ("layer", declaration?.layer.rawValue),
            ("owner", declaration?.owner),
            ("protocols", declaration?.interface.map { Self.list($0.protocols) }),
            ("compiled", declaration?.interface.map { Self.compiled(as: $0) }),
            ("features", offers.map { Self.list($0.features.map(\.name)) }),
            ("provides", offers.map { Self.list($0.provides.map(text)) }),
            ("requires", offers.map { _ in Self.list(entry.listedRequirements(names)) }),
            ("isolation", isolation),
            ("permitted", entry.isIsolated ? permitted : nil),
            ("limited", entry.isIsolated ? limited : nil),
            ("bound", bindings.isEmpty ? nil : Self.list(bindings.map(\.text))),
            ("also uses", undeclared.isEmpty ? nil : Self.list(undeclared)),
            ("ABI", tag.map { String($0.abi) }),
            ("interface", tag.map { Self.text($0.interface, declaration?.interfaces ?? []) }),
            ("compiler", tag?.compiler.map { "Swift \($0)" }),
            ("target", tag?.target ?? binary?.machine.description),
            ("libraries", binary.map { Self.list($0.needed) }),
            ("taken", taken.isEmpty ? nil : Self.list(taken.map(\.words))),
            ("uses", binary.map { _ in usesText }),
            ("pinned", entry.sha256.map { "to SHA-256 \($0)" }),
            ("signature", signature?.text),
        ]
        return rows.compactMap { label, value in
            value.flatMap {
                $0.isEmpty ? nil : "\((label + ":").padded(to: 11))\($0.escapedLine)\n"
            }
        }.joined()
    }

    private static func compiled(as content: InterfaceContent) -> String {
        guard !content.otherModules.isEmpty else { return "as the Swift module \(content.module)" }
        return "as the Swift modules \(content.modules.joined(separator: ", "))"
    }

    private var isolation: String? {
        guard let obstacles = isolationObstacles else { return nil }
        if entry.isIsolated { return "in a process of its own" }
        guard let first = obstacles.first else { return "possible" }
        let others = obstacles.count > 1 ? "; \(obstacles.count - 1) more with '--json'" : ""
        return "not possible: \(first)\(others)"
    }

    private var permitted: String {
        let rights = entry.permissions
        func paths(_ paths: [String]) -> String {
            paths.map { Path.relative($0, to: Path.current) }.joined(separator: ", ")
        }
        func endpoints(_ endpoints: [NetworkEndpoint]) -> String {
            endpoints.map(\.text).joined(separator: ", ")
        }
        let words = [
            ("reading", paths(rights.read)), ("changing", paths(rights.write)),
            ("connecting to", endpoints(rights.connect)),
            ("listening at", endpoints(rights.listen)),
            ("resolving", rights.resolvesNames ? "names" : ""), ("running", paths(rights.run)),
            ("the environment's", rights.environment.joined(separator: ", ")),
        ]
        let told = words.filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1)" }
        return told.isEmpty ? "nothing" : told.joined(separator: "; ")
    }

    private var limited: String? {
        let words = entry.limits.words
        return words.isEmpty ? nil : "to " + words.joined(separator: ", ")
    }

    private static func size(of entry: CatalogEntry) -> String {
        entry.status.map { " (\($0.size) bytes)" } ?? ""
    }

    /// The catalog's state, which knows nothing about the binary's symbols, pin and signature: a
    /// problem with these changes it.
    private var state: String {
        guard entry.state == .ready, let problem = problems.first else {
            return entry.state.rawValue
        }
        return ModuleState(refusedWith: problem.code).rawValue
    }

    private func json(_ provision: Provision) -> JSON {
        ["service": .string(names.shown(provision.service)), "name": .text(provision.name)]
    }

    private static func json(_ need: InterfaceNeed) -> JSON {
        [
            "id": .string(need.id), "module": .text(need.built?.module),
            "version": .text(need.built?.version.description),
        ]
    }

    /// `20 symbols of EavesInterface, 5 of CommonInterface`.
    private var usesText: String {
        uses.enumerated().map { index, use in
            let noun = index > 0 ? "" : use.symbols.count == 1 ? " symbol" : " symbols"
            return "\(use.symbols.count)\(noun) of \(use.interface.module)"
        }.joined(separator: ", ")
    }

    /// The versions of the interfaces that it was compiled against, the host's own first.
    private static func text(_ host: InterfaceVersion?, _ needs: [InterfaceNeed]) -> String {
        guard let host else { return "none (C ABI alone)" }
        let others = needs.map { need in
            ", \(need.id)\(need.built.map { " \($0.version)" } ?? "")"
        }
        return host.description + others.joined()
    }

    private func text(_ provision: Provision) -> String {
        names.shown(provision.service) + (provision.name.map { " named '\($0)'" } ?? "")
    }

    private static func list(_ words: [String]) -> String {
        words.isEmpty ? "none" : words.joined(separator: ", ")
    }
}

/// The part of a module in a binding of the manifest.
private struct ModuleBinding {
    private let key: BindingKey
    /// The module's part of the weights; `nil` if it is bound alone.
    private let weights: (share: BindingShare, all: Weights)?
    /// Whether the module is chosen; `nil` where each process draws for itself.
    private let isChosen: Bool?

    static func all(of id: String, in manifest: Manifest) -> [ModuleBinding] {
        manifest.bindings.filter { $0.modules.contains(id) }.map { binding in
            let choice = manifest.chosen[binding.key]
            return ModuleBinding(
                key: binding.key,
                weights: binding.weights.flatMap { all in
                    all.shares.first { $0.module == id }.map { ($0, all) }
                },
                isChosen: choice?.reason == .chance ? nil : choice?.module == id)
        }
    }

    var json: JSON {
        [
            "service": .string(key.service), "name": .text(key.name),
            "weight": weights.map { .integer($0.share.weight) } ?? .null,
            "of": weights.map { .integer($0.all.total) } ?? .null,
            "by": .text(weights?.all.key), "chosen": isChosen.map { .bool($0) } ?? .null,
        ]
    }

    /// Such as `UserService`, or `UserService (10 %, by user, not chosen)`.
    var text: String {
        let service = key.service + (key.name.map { " named '\($0)'" } ?? "")
        guard let weights else { return service }
        let parts = [
            weights.all.percentage(of: weights.share), weights.all.choice,
            isChosen.map { $0 ? "chosen" : "not chosen" },
        ]
        return "\(service) (\(parts.compactMap { $0 }.joined(separator: ", ")))"
    }
}

/// The lines of `eaves inspect` about a module's signature, whether or not one is required.
private struct SignatureReport {
    /// The signature's file, as seen from the manifest's folder.
    private let path: String
    private let result: Result<Signer, SignatureError>

    /// Checks the signature of the file that a host loads; `nil` if there is none.
    init?(of entry: CatalogEntry, in manifest: Manifest?) {
        let file = entry.loadedFile + SignatureCheck.suffix
        guard (try? FileStatus(path: file)) != nil else { return nil }
        path =
            entry.standIn == nil
            ? entry.path + SignatureCheck.suffix
            : manifest.map { Path.relative(file, to: $0.directory) } ?? file
        result =
            manifest.map { manifest in
                Result { () throws(SignatureError) in
                    try SignatureCheck(manifest.signerLists)
                        .signer(of: entry.loadedFile, by: file, for: entry.id)
                }
            } ?? .failure(.noManifest)
    }

    var json: JSON {
        switch result {
        case .success(let signer):
            [
                "path": .string(path), "signer": .string(signer.name), "key": .string(signer.key),
                "problem": .null,
            ]
        case .failure(let problem):
            [
                "path": .string(path), "signer": .null, "key": .null,
                "problem": .string(Self.words(problem)),
            ]
        }
    }

    var text: String {
        switch result {
        case .success(let signer): "by \(signer.name), with the \(signer.key)"
        case .failure(let problem): "does not count: \(Self.words(problem))"
        }
    }

    private static func words(_ problem: SignatureError) -> String {
        problem.diagnostics.map(\.message).joined(separator: "; ")
    }
}
