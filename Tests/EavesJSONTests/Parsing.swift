// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON

/// Parses a text.
func parse(_ text: String) throws(JSONSyntaxError) -> JSONNode {
    try JSONNode.parse(Array(text.utf8))
}

/// Returns the error with which a text is refused; `nil` if it is accepted.
func syntaxError(in bytes: [UInt8]) -> JSONSyntaxError? {
    do throws(JSONSyntaxError) {
        _ = try JSONNode.parse(bytes)
        return nil
    } catch {
        return error
    }
}

func syntaxError(in text: String) -> JSONSyntaxError? {
    syntaxError(in: Array(text.utf8))
}
