// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

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
    ///
    /// - Parameter reporting: The printer of the changes that a live host takes on.
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
            let chosen = "\(binding.key): \(binding.module)"
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
