// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesBuild

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
        case .finished(let result):
            show(result)
        }
    }

    /// Prints the number of modules that were built, and their time together.
    package func sum(_ results: [BuildResult]) {
        let count = results.count { if case .built = $0.outcome { true } else { false } }
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
    /// Writes what a compiler printed.
    func passOn(compiled text: String) {
        pass(onFrom: text.hasSuffix("\n") ? String(text.dropLast()) : text)
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
