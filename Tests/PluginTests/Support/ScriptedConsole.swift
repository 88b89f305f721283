// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

/// A console whose input is written down beforehand, and whose output can be read.
final class ScriptedConsole: Console {
    private struct Script {
        var answers: [String]
        var output = ""
        var warnings: [String] = []
    }

    let isInteractive: Bool
    private let script: Mutex<Script>

    /// - Parameter answers: What is typed, a line each; with `nil` nobody sits there.
    init(answers: [String]? = nil) {
        isInteractive = answers != nil
        script = Mutex(Script(answers: answers ?? []))
    }

    var output: String { script.withLock { $0.output } }
    var warnings: [String] { script.withLock { $0.warnings } }

    func readLine() -> String? {
        script.withLock { $0.answers.isEmpty ? nil : $0.answers.removeFirst() }
    }

    func write(_ text: String) {
        script.withLock { $0.output += text }
    }

    func warn(_ text: String) {
        script.withLock { $0.warnings.append(text) }
    }
}
