// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesInterface
import EavesIsolation
import EavesManifest
import EavesOutput
import EavesSources

extension OptionSpec {
    static let noBuild = OptionSpec("no-build", help: "do not build the modules first")
}

extension Host {
    /// A host that prints what it does, as the options of a command want it.
    convenience init(
        _ manifest: Manifest, _ options: ParsedOptions, _ terminal: Terminal,
        reporting report: (@Sendable (HostChange) -> Void)? = nil
    ) throws {
        let isVerbose = options.has(.verbose)
        let report = report ?? { terminal.report($0, isVerbose: isVerbose) }
        let progress = LoadProgress(terminal: terminal, isVerbose: isVerbose, reporting: report)
        var configuration = Host.Configuration()
        configuration.isolation = .processes
        configuration.recordsCrashes = true
        configuration.logLevel = isVerbose ? .debug : .warning
        configuration.observer = progress.show
        try self.init(
            manifest: manifest,
            sources: options.has(.noBuild) ? .files : .folders(usesColor: terminal.isColored),
            configuration)
        if isVerbose { choices.forEach { terminal.say($0) } }
    }

    /// A line for each module that was chosen, and that the manifest alone does not name.
    private var choices: [String] {
        bindings.filter { $0.reason != .bound }.map { binding in
            let chosen = "\(binding.key.text): \(binding.module)"
            return switch binding.reason {
            case .value: "\(chosen), chosen by \(binding.by ?? "")"
            case .noValue: "\(chosen), by the greatest weight, without a \(binding.by ?? "")"
            case .chance: "\(chosen), chosen by chance"
            case .call: "\(chosen), and a canary at some calls"
            default: "\(chosen), for this run"
            }
        }
    }
}

extension OptionSpec {
    static let by = OptionSpec(
        "by", value: "KEY=VALUE", help: "choose by this value where a binding has weights")
    static let with = OptionSpec(
        "with", value: "SERVICE=MODULE", help: "bind a service otherwise for this run")
    static let isolate = OptionSpec(
        "isolate", value: "MODULE", help: "run a module in a process of its own")
    static let allowUnenforced = OptionSpec(
        "allow-unenforced", help: "isolate also where the system does not enforce all permissions")
}

extension ParsedOptions {
    /// Loads the manifest, as ``manifest(from:)`` does, with the choices of `--by`, `--with`, `--isolate` and
    /// `--allow-unenforced`.
    ///
    /// - Throws: Also if a value cannot be understood, or a module of `--with` does not provide the service.
    func choosingManifest(_ terminal: Terminal) throws -> Manifest {
        let manifest = try manifest()
        guard has(.by) || has(.with) || has(.isolate) || has(.allowUnenforced) else {
            return manifest
        }
        var choices = BindingChoices()
        choices.isolated = allValues(.isolate)
        choices.allowsUnenforced = has(.allowUnenforced)
        for text in allValues(.by) {
            // A script may know the name of no user, and then gives none.
            let (key, value) = try Self.split(text, at: text.utf8.firstIndex(of: Self.mark), .by)
            guard Names.isChoiceKey(key) else {
                throw CommandError.badPair(option: .by, found: text)
            }
            choices.values[key] = value
            warn(about: key, manifest.choiceKeys, terminal)
        }
        for text in allValues(.with) {
            // A name may have the character; the id of a module has none.
            let (key, module) = try Self.split(text, at: text.utf8.lastIndex(of: Self.mark), .with)
            guard Names.isBindingKey(key), !module.isEmpty else {
                throw CommandError.badPair(option: .with, found: text)
            }
            choices.demands.append(BindingChoices.Demand(BindingKey(text: key), module))
        }
        let choosing = manifest.choosing(choices)
        try choosing.checkDemands()
        return choosing
    }

    /// Warns of a key that looks mistyped. Any other key may be one of a binding that had weights once: a
    /// script goes on giving it when the choice is over.
    private func warn(about key: String, _ known: [String], _ terminal: Terminal) {
        guard !known.contains(key), let question = NearMatch.question(for: key, among: known) else {
            return
        }
        terminal.warn(
            Diagnostic(
                "no binding of the manifest chooses by \(key.quoted), \(question)",
                fix: "see the keys with 'eaves list'", code: .usage))
    }

    private static let mark = UInt8(ascii: "=")

    private static func split(
        _ text: String, at mark: String.Index?, _ option: OptionSpec
    ) throws(CommandError) -> (String, String) {
        guard let mark, mark != text.startIndex else {
            throw .badPair(option: option, found: text)
        }
        return (String(text[..<mark]), String(text[text.utf8.index(after: mark)...]))
    }
}
