// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesInterface
import EavesManifest
import EavesModules
import EavesOutput
import EavesSystem
import EavesTrust

/// The request of a command line: a text to show, or a subcommand to run.
enum Invocation {
    /// Show a text, and end with this exit code.
    case show(String, Int32)
    case run(Subcommand, ParsedOptions)

    static let globalOptions: [OptionSpec] = [.manifest, .store, .help, version]

    private static let version = OptionSpec("version", help: "print the version")

    static var parser: LaunchParser {
        LaunchParser(
            globalOptions.map(\.declaration), feature: nil, summary: "",
            command: LaunchParser.Command(operands: "", discussion: "", stopsAtOperand: true))
    }

    /// - Throws: ``CommandError`` if it cannot be understood.
    init(_ words: [String]) throws(CommandError) {
        let global = try ParsedOptions(words, Self.globalOptions, Self.parser) ?? ParsedOptions()
        guard let word = global.operands.first else {
            // Without a subcommand and without an option, the application starts.
            self =
                global.has(Self.version)
                ? .show(Version.text + "\n", 0)
                : global.has(.help) ? .show(Help.overview, 0) : .run(.start, global)
            return
        }
        let rest = Array(global.operands.dropFirst())
        if word == "help" || global.has(.help) {
            let asked = word == "help" ? rest.first : word
            let text = try asked.map { word throws(CommandError) in
                Help.text(of: try Self.subcommand(word))
            }
            self = .show(text ?? Help.overview, 0)
            return
        }
        let subcommand = try Self.subcommand(word)
        if let options = try Self.options(rest, of: subcommand, behind: global) {
            self = .run(subcommand, options)
        } else {
            self = .show(Help.text(of: subcommand), 0)
        }
    }

    /// The options and operands of a subcommand.
    ///
    /// - Parameter isInShell: Whether the words stand in a line of a shell, which has chosen the manifest.
    /// - Returns: `nil` if help is asked for.
    static func options(
        _ words: [String], of subcommand: Subcommand, behind global: ParsedOptions,
        inShell isInShell: Bool = false
    ) throws(CommandError) -> ParsedOptions? {
        let specs = subcommand.options.shown(inShell: isInShell)
        let parser = subcommand.parser(inShell: isInShell)
        guard var options = try ParsedOptions(words, specs, parser) else { return nil }
        guard subcommand.operandCount.contains(options.operands.count) else {
            throw .wrongOperands(
                command: subcommand.name, expected: subcommand.operands, found: options.operands)
        }
        // An option behind the subcommand counts more than the same one before it.
        options.values.merge(global.values) { own, _ in own }
        try Self.refuseTexts(in: options, of: subcommand)
        return options
    }

    /// Refuses values and operands that are empty: as a path, an empty text would mean the current folder; and those
    /// that are not UTF-8, which would mean another file. The arguments of a feature may be both.
    private static func refuseTexts(
        in options: ParsedOptions, of subcommand: Subcommand
    ) throws(CommandError) {
        let operands = subcommand.stopsAtOperand ? [] : options.operands
        for text in options.values.values.joined() + operands where text.keepsBytes {
            throw .notUTF8(text)
        }
        for spec in subcommand.options.shown(inShell: false) {
            guard let expected = spec.value, options.allValues(spec).contains("")
            else { continue }
            throw .emptyValue(option: "--" + spec.long, expected: expected)
        }
        if operands.contains("") {
            throw .emptyOperand(command: subcommand.name, expected: subcommand.operands)
        }
    }

    private static func subcommand(_ word: String) throws(CommandError) -> Subcommand {
        if !word.isEmpty, let found = Subcommand.named(word) { return found }
        throw .unknownCommand(word, known: Subcommand.all.map(\.name))
    }
}

/// An option that a command takes.
struct OptionSpec: Sendable {
    let declaration: LaunchDeclaration
    /// The kind of word that the value is, for shells that complete it.
    let completed: CompletedWord

    /// - Parameters:
    ///   - value: The word that help shows for the value, such as `PATH`; `nil` if the option takes no value.
    ///   - isValueOptional: Whether the value may be missing; if it is there, it stands behind an `=`.
    init(
        _ long: String, short: Character? = nil, value: String? = nil,
        isValueOptional: Bool = false, completed: CompletedWord = .file, help: String
    ) {
        self.completed = completed
        declaration = LaunchDeclaration(
            value.map { isValueOptional ? .optionalValue($0) : .option($0) } ?? .flag,
            "--" + long, short.map { "-\($0)" }, help: help)
    }

    var long: String { String(declaration.name.dropFirst(2)) }
    /// The word for a value that has to be given; `nil` if there is none.
    var value: String? {
        if case .option(let value) = declaration.kind { value } else { nil }
    }

    static let manifest = OptionSpec(
        "manifest", value: "PATH",
        help: "the manifest or its folder (default: the nearest one upwards)")
    static let store = OptionSpec(
        "store", value: "DIR", help: "where state is kept (default: next to the manifest)")
    static let json = OptionSpec("json", help: "print one JSON object")
    static let verbose = OptionSpec("verbose", short: "v", help: "say what is being done")
    static let help = OptionSpec("help", short: "h", help: "show this help")
}

extension [OptionSpec] {
    /// The options that a subcommand takes on a command line, or in a shell, which has chosen manifest and store, and tells
    /// what it takes on.
    func shown(inShell isInShell: Bool) -> [OptionSpec] {
        isInShell
            ? filter { ![OptionSpec.manifest.long, HostVerdict.option.long].contains($0.long) }
            : flatMap { $0.long == OptionSpec.manifest.long ? [$0, .store] : [$0] }
    }
}

/// The options and operands of a command line.
struct ParsedOptions: Sendable {
    /// The values of each option, by its long name, in order. An option that takes no value has an
    /// empty text each time it is given.
    var values: [String: [String]] = [:]
    var operands: [String] = []

    func has(_ option: OptionSpec) -> Bool { values[option.long] != nil }

    func allValues(_ option: OptionSpec) -> [String] { values[option.long] ?? [] }

    /// The value of an option; if it was given several times, the last one.
    func value(_ option: OptionSpec) -> String? { values[option.long]?.last }
}

extension ParsedOptions {
    /// - Returns: `nil` if help is asked for, and is none of the options.
    /// - Throws: ``CommandError`` about the first option that is unknown, lacks its value, or has one
    ///   that it does not take.
    init?(_ words: [String], _ specs: [OptionSpec], _ parser: LaunchParser) throws(CommandError) {
        do {
            let (texts, operands) = try parser.split(words)
            let given = zip(specs, texts).filter { !$1.isEmpty }
            self.init(
                values: Dictionary(uniqueKeysWithValues: given.map { ($0.long, $1) }),
                operands: operands)
        } catch let error as UsageError {
            throw .wrongOption(error)
        } catch {
            return nil
        }
    }

    /// The variable with the manifest of commands that have no `--manifest`, or its folder.
    private static let manifestVariable = "EAVES_MANIFEST"

    /// The path of the manifest, or of its folder, that a person has named for this command or for all; `nil` if the nearest
    /// one counts.
    private var namedManifest: String? {
        value(.manifest)
            ?? Environment.value(of: Self.manifestVariable).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether a person has named the manifest. Then the command does not do without it.
    var namesManifest: Bool { namedManifest != nil }

    /// Loads the manifest that the command works on: the one of `--manifest PATH`, else that of the variable
    /// `EAVES_MANIFEST`, else the nearest one upwards.
    ///
    /// - Parameter folder: Where the search begins, and what `PATH` is relative to.
    /// - Throws: ``CommandError/noManifest(folder:)``, or `ManifestError` if it cannot be used.
    func manifest(from folder: String = Path.current) throws -> Manifest {
        if let path = namedManifest {
            return try Manifest.load(fileOrFolder: Path.absolute(path, from: folder))
        }
        // The search would go on in the folder above.
        if folder.keepsBytes { throw CommandError.notUTF8(folder) }
        guard let path = Manifest.find(from: folder) else {
            throw CommandError.noManifest(folder: folder)
        }
        return try Manifest.load(path)
    }

    /// Edits that manifest while no other process edits it, and then says what was done.
    ///
    /// - Parameter body: The edit of the manifest as it is now. Returns messages, which are printed once the
    ///   manifest is written: what they say is then true.
    func editManifest(
        _ terminal: Terminal, _ body: (inout ManifestEditor) throws -> [String]
    ) throws {
        try ManifestEditor.edit(try manifest().path, body).forEach(terminal.say)
    }
}

/// Finds the modules that operands name: `ID`, or `FILE-OR-ID`.
struct ModuleOperands {
    /// `nil` if there is none, or none is needed.
    let manifest: Manifest?
    let catalog: Catalog?

    /// - Parameter manifest: The one to look up ids in; without it, only files are found.
    init(in manifest: Manifest?) {
        self.manifest = manifest
        catalog = manifest.map { Catalog(manifest: $0, profile: .current) }
    }

    /// The module that an operand `FILE-OR-ID` names. A file may hold anything: the entry says so.
    func module(_ operand: String) throws(CommandError) -> CatalogEntry {
        if operand.namesFile {
            let entry = file(operand)
            return catalog?.checkingInterfaces(of: entry) ?? entry
        }
        guard let entry = catalog?.entry(operand) else {
            throw .noFileOrModule(operand, known: catalog?.entries.map(\.id) ?? [])
        }
        return entry
    }

    /// A module's file, looked at by itself: what the manifest says about it does not count, except
    /// for the compilers that the manifest allows, and the interfaces that it leads to.
    private func file(_ path: String) -> CatalogEntry {
        let profile = HostProfile.current.allowing(compilers: manifest?.compilers ?? [])
        return Catalog.inspect(file: path, manifest?.trust ?? .own, profile: profile)
    }
}

extension Catalog {
    func module(_ id: String) throws(CommandError) -> CatalogEntry {
        guard let entry = entry(id) else { throw .noModule(id, known: entries.map(\.id)) }
        return entry
    }
}

extension String {
    /// Whether an operand `FILE-OR-ID` is a file: it has a slash, or ends in `.so`.
    var namesFile: Bool { contains("/") || hasSuffix(".so") }
}
