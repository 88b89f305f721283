// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild

/// Tells of a build as it goes on: what the compiler prints comes as the compiler prints it.
struct BuildProgress {
    let terminal: Terminal
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
