// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesOutput
import Synchronization

/// Prints the changes that a shell's host takes on. While a command changes the manifest, it holds them back: the
/// command says first what it has done.
///
/// Safe from any thread.
final class ChangeNews: Sendable {
    private let terminal: Terminal
    private let isVerbose: Bool
    private let held = Mutex<[HostChange]?>(nil)

    init(_ terminal: Terminal, isVerbose: Bool) {
        self.terminal = terminal
        self.isVerbose = isVerbose
    }

    func report(_ change: HostChange) {
        let isHeld = held.withLock { held in
            held?.append(change)
            return held != nil
        }
        if !isHeld { terminal.report(change, isVerbose: isVerbose) }
    }

    /// Runs a command that changes the manifest, and prints the changes after what the command prints.
    func holding<Result>(during command: () throws -> Result) rethrows -> Result {
        held.withLock { $0 = [] }
        defer {
            let changes = held.withLock { held in
                defer { held = nil }
                return held ?? []
            }
            for change in changes { terminal.report(change, isVerbose: isVerbose) }
        }
        return try command()
    }
}
