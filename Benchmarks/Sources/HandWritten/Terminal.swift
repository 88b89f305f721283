// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesInterface
@preconcurrency import Glibc

/// Standard input and output.
struct Terminal: Console {
    let isInteractive = false
    func readLine() -> String? { Swift.readLine() }
    func write(_ text: String) { Swift.print(text, terminator: "") }
    func warn(_ text: String) { fputs(text + "\n", stderr) }
}
