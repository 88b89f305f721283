// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// The console that a feature gets: its output is its own, and its messages stand behind its name.
struct FeatureConsole: Console {
    private let terminal: Terminal
    private let feature: String

    init(_ terminal: Terminal, feature: String) {
        self.terminal = terminal
        self.feature = feature
    }

    var isInteractive: Bool { terminal.console.isInteractive }

    func readLine() throws(ConsoleError) -> String? { try terminal.console.readLine() }

    func write(_ text: String) throws(ConsoleError) { try terminal.console.write(text) }

    func warn(_ text: String) { terminal.say(text, by: feature) }
}
