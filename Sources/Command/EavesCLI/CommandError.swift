// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesInterface
import EavesManifest
import EavesOutput

/// Why the command does not do what its command line asks for.
enum CommandError: Error, Hashable, Sendable {
    // MARK: The command line is wrong
    /// A command line begins with no command, or a line of a shell.
    case unknownCommand(String, known: [String], overview: String = "eaves --help")
    /// A line of a shell begins with the name of a feature.
    case featureInShell(String)
    /// A quotation in a line of a shell begins with this character and does not end.
    case unfinishedQuotation(Character, String)
    /// An option is unknown, lacks its value, or has one that it does not take.
    case wrongOption(UsageError)
    case emptyValue(option: String, expected: String)
    case emptyOperand(command: String, expected: String)
    /// A word of the command line, or the current folder, is not UTF-8.
    case notUTF8(String)
    case wrongOperands(
        command: String, expected: String, found: [String], fix: String? = nil)
    /// A word names none of the things to choose from, such as a format.
    case unknownChoice(of: String, String, known: [String])
    /// The value of an option is not a number that it takes; the last text is an example of one.
    case badNumber(String, String, found: String, as: String)
    /// `rollback` names no number of steps.
    case badSteps(String)
    /// No copy of an earlier file of the module is kept that could take the place of its file.
    case noLastGood(String)
    /// `rollback` of a module edits no manifest, so that there is nothing to wait for.
    case cannotWaitForFile(String)
    /// An option expects two words with `=` between them.
    case badPair(option: String, form: String, found: String)
    /// `swap` lets a module have a share of the calls, and is to give up the state of the one that keeps the rest.
    case canaryWithoutState
    case badName(String)
    case badService(String)
    case noService(String)
    /// `new --provides` names a protocol that no interface declares.
    case undeclaredService(String, known: [String])
    case excludingOptions([String])
    /// An option stands where it makes no sense, and is for something else.
    case misplacedOption(String, String)
    case takenID(String, path: String)
    case takenFeature(String, module: String)
    /// `launch` names no feature, and neither does the manifest at this path. With the features that there are, each with
    /// its purpose.
    case noFeature(manifest: String, features: [String: String])
    case noLinkFeature(manifest: String)

    // MARK: Something does not exist
    /// - Parameter sources: A folder of sources that `build`, which names nothing, finds here.
    case noManifest(folder: String, sources: String? = nil)
    case noModule(String, known: [String])
    /// The list of trusted folders does not have this one.
    case notTrusted(String, known: [String])
    /// The environment names no folder for the user's configuration.
    case noHome
    /// An operand `FILE-OR-ID` is neither.
    case noFileOrModule(String, known: [String])
    /// The module to remove was found in a directory, so the manifest has no entry for it.
    case notListed(String, path: String)

    // MARK: Other rooms found problems; the first one gives the exit code
    /// A module cannot be loaded, the manifest and its modules do not fit together, running hosts have not taken on what
    /// `--wait` waited for, or the quarantine cannot be read.
    case invalid([Diagnostic])
}

extension CommandError {
    static func badPair(option: OptionSpec, found: String) -> CommandError {
        .badPair(option: option.long, form: option.value ?? "", found: found)
    }
}

extension CommandError: DiagnosableList {
    var diagnostics: [Diagnostic] {
        switch self {
        case .unknownCommand(let word, let known, let overview):
            usage(
                "unknown command \(word.quoted)" + NearMatch.suffix(for: word, among: known),
                fix: "see all commands with '\(overview)'")
        case .featureInShell(let word):
            usage(
                "unknown command \(word.quoted): it is the name of a feature",
                fix: "run it with 'launch \(word.shellWord)'")
        case .unfinishedQuotation(let mark, let line):
            usage(
                "a quotation does not end: expected a further \(mark), found the end of \(line.quoted)",
                fix: "close it, or write \\\(mark) for the character itself")
        case .wrongOption(let error):
            usage(
                error.unknown.map {
                    "unknown option \($0.quoted)" + NearMatch.suffix(for: $0, among: error.known)
                } ?? error.description, fix: error.fix ?? "")
        case .emptyValue(let option, let expected):
            usage(
                "option \(option.quoted) expects \(expected), found an empty text",
                fix: "see the options with '--help'")
        case .emptyOperand(let command, let expected):
            usage(
                "'eaves \(command)' expects \(expected), found an empty text",
                fix: "see 'eaves \(command) --help'")
        case .notUTF8(let text):
            [
                Diagnostic(
                    "cannot use \(text.quoted): its name is not UTF-8",
                    fix: "give the file or folder a name in UTF-8", code: .inputOutput)
            ]
        case .wrongOperands(let command, let expected, let found, let fix):
            usage(
                "'eaves \(command)' expects \(expected.isEmpty ? "no operands" : expected), found "
                    + (found.isEmpty ? "nothing" : found.joined(separator: " ").quoted),
                fix: fix ?? "see 'eaves \(command) --help'")
        case .unknownChoice(let things, let found, let known):
            usage(
                "there is no \(things) \(found.quoted)"
                    + NearMatch.suffix(for: found, among: known),
                fix: "choose one of \(known.joined(separator: ", "))")
        case .badNumber(let option, let expected, let found, let example):
            usage(
                "option '\(option)' expects \(expected), found \(found.quoted)",
                fix: "give a number, as in '\(example)'")
        case .badSteps(let found):
            usage(
                "'eaves rollback' expects a number of steps, 1 or more, found \(found.quoted)",
                fix: "see the numbers with 'eaves history'")
        case .noLastGood(let id):
            missing(
                "no earlier file of \(id.quoted) is kept that hosts could load in the place of its file",
                fix:
                    "put an earlier file into its place; a host that stays up keeps the one that a new file "
                    + "replaces")
        case .cannotWaitForFile(let id):
            usage(
                "option '--wait' is for changes of the manifest, and the file of \(id.quoted) is none",
                fix: "leave it out, and see running hosts with 'eaves generations'")
        case .badPair(let option, let form, let found):
            usage(
                "option '--\(option)' expects \(form), found \(found.quoted)",
                fix: option == OptionSpec.by.long
                    ? "give a key and a value that is not empty, as in '--by user=alice'"
                    : "give a service and a module, as in '--with UserService=users-v2'")
        case .canaryWithoutState:
            usage(
                "options '--canary' and '--discard-state' do not go together: the module that keeps the "
                    + "rest of the calls keeps its state, too",
                fix: "leave '--discard-state' for the swap that gives the canary all calls")
        case .badName(let found):
            usage(
                "expected a name of small letters and digits, with '.', '_' and '-' between, found "
                    + found.quoted, fix: "choose one such as 'users-cache'")
        case .badService(let found):
            usage(
                "option '--provides' expects the name of a protocol, found \(found.quoted)",
                fix: "give one such as UserService")
        case .noService(let id):
            usage(
                "'eaves new service' does not say which service \(id.quoted) provides",
                fix:
                    "add '--provides SERVICE', with a protocol that an interface module declares; 'eaves new "
                    + "interface NAME' makes one")
        case .undeclaredService(let service, let known):
            missing(
                "no interface module declares a protocol \(service.quoted)"
                    + NearMatch.suffix(for: service, among: known),
                fix:
                    "correct its name, or make an interface module for it with 'eaves new interface NAME "
                    + "--provides \(service.shellWord)'")
        case .excludingOptions(let options):
            usage(
                "options \(options.map(\.quoted).joined(separator: " and ")) do not go together",
                fix: "choose one of them")
        case .misplacedOption(let option, let use):
            usage("option \(option.quoted) is \(use)", fix: "leave it out")
        case .takenID(let id, let path):
            taken("there is a module \(id.quoted) already: \(path)")
        case .takenFeature(let name, let module):
            taken("there is a feature \(name.quoted) already, which \(module.quoted) offers")
        case .noFeature(let manifest, let features) where features.isEmpty:
            usage(
                "\(manifest): no module has a feature to launch",
                fix: "make one, 'eaves new feature NAME'")
        case .noFeature(let manifest, let features):
            usage(
                "\(manifest): no feature was named, and 'launch' is not set",
                fix: "name one, 'eaves launch FEATURE', or set \"launch\" in the manifest:\n"
                    + Self.lines(features))
        case .noLinkFeature(let manifest):
            usage(
                "\(manifest): no feature opens links, because 'open' is not set",
                fix: "set \"open\" in the manifest to a feature that takes a link")
        case .noManifest(let folder, let sources):
            missing(
                "no \(Manifest.fileName) in \(folder) or any folder above it",
                fix: (sources.map {
                    "name the folder to build, as in 'eaves build \("./\($0)".shellPath)'"
                }
                    ?? "go to the folder that holds it, name it with '--manifest PATH'")
                    + ", or begin a project here with 'eaves init'")
        case .noModule(let id, let known):
            UnknownModuleError(id: id, known: known).diagnostics
        case .notTrusted(let folder, let known):
            missing(
                "there is no consent to '\(folder)'" + NearMatch.suffix(for: folder, among: known),
                fix: "see all trusted folders with 'eaves trust'")
        case .noHome:
            missing(
                "neither XDG_CONFIG_HOME nor HOME names a folder for your list of trusted folders",
                fix: "set HOME")
        case .noFileOrModule(let word, let known):
            missing(
                "there is no file and no module \(word.quoted)"
                    + NearMatch.suffix(for: word, among: known),
                fix: "see all modules with 'eaves list'")
        case .notListed(let id, let path):
            missing(
                "the manifest does not list \(id.quoted), which was found at \(path)",
                fix: "delete \(path.shellPath), "
                    + "or switch the module off with 'eaves disable \(id.shellWord)'")
        case .invalid(let diagnostics): diagnostics
        }
    }

    private func usage(_ message: String, fix: String) -> [Diagnostic] {
        [Diagnostic(message, fix: fix, code: .usage)]
    }

    private func missing(_ message: String, fix: String) -> [Diagnostic] {
        [Diagnostic(message, fix: fix, code: .notFound)]
    }

    private func taken(_ message: String) -> [Diagnostic] {
        [Diagnostic(message, fix: "choose another name", code: .cannotCreate)]
    }

    /// Names with their meanings, one on each line.
    private static func lines(_ meanings: [String: String]) -> String {
        let width = meanings.keys.map(\.count).max() ?? 0
        return meanings.sorted { $0.key < $1.key }.map { name, meaning in
            meaning.isEmpty
                ? "  \(name.escapedLine)"
                : "  \(name.escapedLine.padded(to: width))  \(meaning.escapedLine)"
        }.abridged { "  and \($0) more" }.joined(separator: "\n")
    }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    static var words: [String] { allCases.map(\.rawValue) }

    /// The value that a word names.
    ///
    /// - Parameter things: The noun for the values, such as `format`.
    static func named(_ word: String, of things: String) throws(CommandError) -> Self {
        guard let value = Self(rawValue: word) else {
            throw .unknownChoice(of: things, word, known: words)
        }
        return value
    }
}

extension CommandError {
    /// `launch` names no feature of these.
    static func noFeature(manifest: String, features: [CatalogFeature]) -> CommandError {
        .noFeature(
            manifest: manifest,
            features: Dictionary(features.map { ($0.name, $0.summary) }) { first, _ in first })
    }
}
