// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesHost
import EavesLoader
import Synchronization

/// Tells of what a host loads.
final class LoadProgress: Sendable {
    private let terminal: Terminal
    private let isVerbose: Bool
    private let count = Atomic(0)

    init(terminal: Terminal, isVerbose: Bool) {
        self.terminal = terminal
        self.isVerbose = isVerbose
    }

    /// With `-v` each module with its place in the order and how long it took; what modules log as
    /// a warning or an error always.
    func show(_ event: HostEvent) {
        switch event {
        case .loaded(let entry, let duration) where isVerbose:
            let number = count.add(1, ordering: .relaxed).newValue
            let version = entry.declaration?.version ?? ""
            terminal.say(
                "loaded \(number): \(entry.id) \(version) in \(duration.milliseconds) ms "
                    + "(\(entry.path))")
        case .loading, .loaded:
            break
        case .warned(let diagnostic):
            terminal.warn(diagnostic)
        case .logged(let entry, let message):
            if isVerbose || message.level.rawValue >= LogMessage.Level.warning.rawValue {
                terminal.say("\(entry.id): \(message.level): \(message.text)")
            }
        }
    }
}

extension Duration {
    /// In milliseconds, with two digits behind the point.
    var milliseconds: String {
        let microseconds =
            components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
        let hundredths = (microseconds + 5) / 10
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
