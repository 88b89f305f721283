// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesDiagnostics
import EavesJSON

/// Reads a text as `module.json`. What is read and written again is the same.
enum DeclarationCheck {
    static func run(_ bytes: [UInt8]) {
        do throws(DeclarationError) {
            let declaration = try ModuleDeclaration(bytes, path: "module.json")
            let written = Array(declaration.json.text(pretty: true).utf8)
            guard let again = try? ModuleDeclaration(written, path: "again.json") else {
                preconditionFailure("cannot read back \(declaration.json.text(pretty: false))")
            }
            precondition(again == declaration)
        } catch {
            precondition(!error.problems.isEmpty)
            Words.check(error.diagnostics)
        }
    }
}
