// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild

/// Prints what a build does, while it does it. What the compiler prints is printed unchanged.
struct BuildProgress {
    let terminal: Terminal
    /// Whether modules that are up to date are named, too.
    let isVerbose: Bool

    func show(_ event: BuildEvent) {
        guard case .finished(let result) = event else { return }
        if !result.compilerOutput.isEmpty {
            let isClosed = result.compilerOutput.hasSuffix("\n")
            terminal.say(
                isClosed ? String(result.compilerOutput.dropLast()) : result.compilerOutput)
        }
        result.warnings.forEach(terminal.warn)
        switch result.outcome {
        case .built(let duration):
            terminal.say("built \(result.id) in \(duration.milliseconds) ms")
        case .upToDate where isVerbose:
            terminal.say("\(result.id) is up to date")
        case .upToDate, .failed:
            break
        }
    }
}

extension Duration {
    /// The duration in milliseconds, with two digits after the point.
    var milliseconds: String {
        let microseconds =
            components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
        let hundredths = (microseconds + 5) / 10
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
