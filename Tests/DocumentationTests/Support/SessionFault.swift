// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A command that a document shows, and that a signal ended.
struct SessionFault: Error, CustomStringConvertible {
    let line: String
    let ending: ChildEnding

    var description: String { "'\(line)' ended by \(ending)" }
}
