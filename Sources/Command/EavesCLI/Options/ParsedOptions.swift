// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesManifest
import EavesOutput
import EavesSystem

/// An option that a command takes.
struct OptionSpec: Sendable {
    let declaration: LaunchDeclaration
    /// The kind of word that the value is, for shells that complete it.
    let completed: CompletedWord

    /// - Parameters:
    ///   - long: The long name, without dashes.
    ///   - short: The letter of the short form; `nil` if there is none.
    ///   - value: The word that help shows for the value, such as `PATH`; `nil` if the option takes no value.
    ///   - isValueOptional: Whether the value may be missing; if it is there, it stands behind an `=`.
    ///   - completed: The kind of word that the value is.
    ///   - help: One line for help.
    init(
        _ long: String, short: Character? = nil, value: String? = nil,
        isValueOptional: Bool = false, completed: CompletedWord = .file, help: String
    ) {
        self.completed = completed
        declaration = LaunchDeclaration(
            value.map { isValueOptional ? .optionalValue($0) : .option($0) } ?? .flag,
            "--" + long, short.map { "-\($0)" }, help: help)
    }

    /// The long name, without dashes.
    var long: String { String(declaration.name.dropFirst(2)) }
    /// The word for a value that has to be given; `nil` if there is none.
    var value: String? {
        if case .option(let value) = declaration.kind { value } else { nil }
    }

    static let manifest = OptionSpec(
        "manifest", value: "PATH",
        help: "the manifest or its folder (default: the nearest one upwards)")
    static let json = OptionSpec("json", help: "print one JSON object")
    static let verbose = OptionSpec("verbose", short: "v", help: "say what is being done")
    static let help = OptionSpec("help", short: "h", help: "show this help")
}

extension [OptionSpec] {
    /// The options that a subcommand takes on a command line, or in a shell, which has chosen the manifest, and tells
    /// what it takes on.
    func shown(inShell isInShell: Bool) -> [OptionSpec] {
        isInShell
            ? filter { ![OptionSpec.manifest.long, HostVerdict.option.long].contains($0.long) }
            : self
    }
}

/// The options and operands of a command line.
struct ParsedOptions: Sendable {
    /// The values of each option, by its long name, in order. An option that takes no value has an
    /// empty text each time it is given.
    var values: [String: [String]] = [:]
    /// The words that are not options.
    var operands: [String] = []

    init(values: [String: [String]] = [:], operands: [String] = []) {
        (self.values, self.operands) = (values, operands)
    }

    /// - Parameters:
    ///   - words: The words of a command line.
    ///   - specs: The options that may be given.
    ///   - parser: A parser of these options.
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

    /// Whether an option was given.
    func has(_ option: OptionSpec) -> Bool { values[option.long] != nil }

    /// The values of an option that may be given several times.
    func allValues(_ option: OptionSpec) -> [String] { values[option.long] ?? [] }

    /// The value of an option; if it was given several times, the last one.
    func value(_ option: OptionSpec) -> String? { values[option.long]?.last }
}

extension ParsedOptions {
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
        guard let path = Manifest.find(from: folder) else {
            throw CommandError.noManifest(folder: folder)
        }
        return try Manifest.load(path)
    }

    /// Edits that manifest while no other process edits it, and then says what was done.
    ///
    /// - Parameter body: The edit of the manifest as it is now. Returns messages, which are printed once the
    ///   manifest is written: what they say is then true.
    /// - Returns: The exit code.
    func editManifest(
        _ terminal: Terminal, _ body: (inout ManifestEditor) throws -> [String]
    ) throws -> Int32 {
        try ManifestEditor.edit(try manifest().path, body).forEach(terminal.say)
        return 0
    }
}
