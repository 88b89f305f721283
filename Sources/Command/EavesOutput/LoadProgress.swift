// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
package import EavesHost
import EavesInterface
import Synchronization

/// Prints what a host builds and loads, and what modules log.
package final class LoadProgress: Sendable {
    private let terminal: Terminal
    private let isVerbose: Bool
    private let report: @Sendable (HostChange) -> Void
    private let count = Atomic(0)
    private let line: ProgressLine

    /// - Parameters:
    ///   - isVerbose: Whether to name each module that is loaded, with its place in the order
    ///     and its time, and to show all that modules log. Warnings and errors are always shown.
    ///   - report: The printer of the changes that a live host takes on.
    package init(
        terminal: Terminal, isVerbose: Bool,
        reporting report: @escaping @Sendable (HostChange) -> Void = { _ in }
    ) {
        self.terminal = terminal
        self.isVerbose = isVerbose
        self.report = report
        line = ProgressLine(terminal)
    }

    package func show(_ event: HostEvent) {
        switch event {
        case .building(let status): return line.show(status)
        // A module that is loaded may print.
        case .loading: line.end()
        default: line.clear()
        }
        switch event {
        case .compilerPrinted(_, let text):
            terminal.passOn(compiled: text)
        case .restarted(let module):
            terminal.reportRestart(of: module.id)
        case .built(let module, let duration):
            terminal.reportBuild(of: module.id, in: duration)
        case .loaded(let module, let duration) where isVerbose:
            let number = count.add(1, ordering: .relaxed).newValue
            terminal.say(
                "loaded \(number): \(module.id) \(module.version ?? "") "
                    + "in \(duration.milliseconds) ms (\(module.path))")
        case .changed(let change):
            report(change)
        case .building, .loading, .loaded, .refused, .crashed:
            // The command ends with the reason why a module is refused.
            break
        case .warned(let problem):
            terminal.warn(problem)
        case .logged(let entry):
            // What modules in C log comes here whatever the host's level is.
            if isVerbose || entry.level >= .warning {
                terminal.say(
                    "\(entry.level): \(entry.text)", by: entry.module ?? CommandName.current.text)
            }
        }
    }
}

extension LoadProgress {
    /// Shows a build alone, and what is wrong.
    package func showBuild(_ event: HostEvent) {
        switch event {
        case .building, .compilerPrinted, .loading, .restarted, .built, .warned: show(event)
        default: break
        }
    }
}
