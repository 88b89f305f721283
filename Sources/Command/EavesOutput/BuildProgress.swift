// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesBuild
import EavesDiagnostics
package import EavesHost
import EavesInterface
import EavesSystem
import Glibc
import Synchronization

/// Prints what a build does and what the compiler prints, as it comes.
package struct BuildProgress {
    private let terminal: Terminal
    private let isVerbose: Bool
    private let line: ProgressLine
    private let start = ContinuousClock.now

    /// - Parameter isVerbose: Whether modules that are up to date are named, too.
    package init(terminal: Terminal, isVerbose: Bool) {
        self.terminal = terminal
        self.isVerbose = isVerbose
        line = ProgressLine(terminal)
    }

    package func show(_ event: BuildEvent) {
        if case .running(let standing) = event { return line.show(standing) }
        line.clear()
        switch event {
        case .compiling, .running:
            break
        case .printed(_, let text):
            terminal.passOn(compiled: text)
        case .restarting(let request):
            terminal.reportRestart(of: request.id)
        case .waiting(let request, let holder):
            terminal.say(request.waiting(for: holder))
        case .finished(let result):
            show(result)
        }
    }

    /// Prints the number of modules that were built, and their time together.
    package func sum(_ results: [BuildResult]) {
        let count = results.count(where: \.isBuilt)
        if count > 1 {
            terminal.say("built \(count) modules in \(start.duration(to: .now).seconds) s")
        }
    }

    private func show(_ result: BuildResult) {
        result.warnings.forEach(terminal.warn)
        switch result.outcome {
        case .built(let duration):
            terminal.reportBuild(of: result.id, in: duration)
        case .upToDate where isVerbose:
            terminal.say("\(result.id) is up to date")
        case .upToDate, .failed:
            break
        }
    }
}

// The words about a build, for `build` and for the commands that build before they load.
extension Terminal {
    /// Writes what a compiler printed: it has lines and colours of its own.
    func passOn(compiled text: String) {
        let lines = text.hasSuffix("\n") ? String(text.dropLast()) : text
        console.warn(lines.escapedLines(keepsColors: isColored))
    }

    func reportRestart(of id: String) {
        say("\(id) changed while it was compiled, and is compiled again")
    }

    func reportBuild(of id: String, in duration: Duration) {
        say("built \(id) in \(duration.milliseconds) ms")
    }
}

extension Duration {
    /// The duration in seconds, with one digit after the point.
    var seconds: String {
        let tenths = components.seconds * 10 + components.attoseconds / 100_000_000_000_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// The duration in milliseconds, with two digits after the point.
    var milliseconds: String {
        let microseconds =
            components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
        let hundredths = (microseconds + 5) / 10
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}

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
            // Messages of modules in C arrive here whatever the host's level is.
            if isVerbose || entry.level >= .warning {
                terminal.say(
                    "\(entry.level): \(entry.text)", by: entry.module ?? CommandName.current.text)
            }
        }
    }

    /// Shows a build alone, and what is wrong.
    package func showBuild(_ event: HostEvent) {
        switch event {
        case .building, .compilerPrinted, .loading, .restarted, .built, .warned: show(event)
        default: break
        }
    }
}

/// Tells how far a build has come. On a terminal, one line at the bottom changes while the build runs:
/// `[3/12] swift-collections 31 s, users 2 s`. Elsewhere, a line says that another build program has begun, as such
/// a program is silent until it ends.
///
/// The line is not output: it is gone before anything else is printed, and after the build.
final class ProgressLine: Sendable {
    private struct State {
        var isDrawn = false
        /// Whether another program may print at the terminal.
        var hasEnded = false
        /// The modules whose beginning was told.
        var told: Set<String> = []
    }

    private let terminal: Terminal
    private let state = Mutex(State())

    /// For how long a module is compiled before the line is drawn: a shorter build needs none.
    private static let delay = Duration.milliseconds(500)

    init(_ terminal: Terminal) {
        self.terminal = terminal
    }

    func show(_ status: BuildStatus) {
        guard let screen = terminal.messageScreen else { return tellBeginnings(status) }
        guard let first = status.compiling.first, first.duration >= Self.delay else { return }
        let text = status.text(columns: screen.columns - 1)
        state.withLock { state in
            if state.hasEnded { return }
            state.isDrawn = true
            Self.draw(text)
        }
    }

    /// Makes place for another line.
    func clear() {
        state.withLock { state in
            if state.isDrawn { Self.draw("") }
            state.isDrawn = false
        }
    }

    /// Draws no line from now on.
    func end() {
        clear()
        state.withLock { $0.hasEnded = true }
    }

    private func tellBeginnings(_ status: BuildStatus) {
        for module in status.compiling {
            guard let program = module.program,
                state.withLock({ $0.told.insert(module.id).inserted })
            else { continue }
            terminal.say("compiling \(module.id) with '\(program)'")
        }
    }

    /// Writes over the line, from its first column, and clears the rest of it.
    private static func draw(_ text: String) {
        Array("\r\(text)\u{1b}[K\(text.isEmpty ? "" : "\r")".utf8).withUnsafeBufferPointer {
            _ = OpenFile.write($0, to: STDERR_FILENO)
        }
    }
}

extension BuildStatus {
    /// The progress on one line, which is cut where the terminal ends.
    func text(columns: Int) -> String {
        let modules = compiling.map { "\($0.id.escapedLine) \($0.duration.components.seconds) s" }
        return "[\(done)/\(count)] \(modules.joined(separator: ", "))".cut(to: columns)
    }
}
