// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Something of the interface that a module can ask for.
final class QuietConsole: Console {
    let isInteractive = true
    func readLine() -> String? { nil }
    func write(_ text: String) {}
    func warn(_ text: String) {}
}
