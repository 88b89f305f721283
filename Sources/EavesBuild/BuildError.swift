// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
package import EavesELF
package import EavesCatalog
package import EavesDiagnostics
package import EavesSystem

/// Why a module was not built. The module that stood there before stands there still.
package struct BuildError: Error, Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        case noFolder
        case notAFolder
        /// The folder has no `module.json`.
        case noDeclaration
        case declaration(DeclarationError)
        /// `module.json` names another module than the one that was asked for.
        case otherID(found: String)
        case noSources(folder: String)
        /// The folder's name makes a Swift module name that somebody else has.
        case reservedName(folder: String, name: String)

        /// - Parameter named: What `EAVES_SWIFTC` says, if it is set.
        case noCompiler(named: String?)
        /// The compiler cannot be asked what it is.
        case unusableCompiler(path: String, reason: String)
        /// Its modules would be refused by this host.
        case otherCompiler(path: String, found: String, expected: String)
        case noSDK(searched: [String])
        case damagedSDK(path: String, missing: String)

        /// The compiler has printed why.
        case compilation
        case crash(path: String, ending: ChildEnding)
        /// What was linked has no entry point.
        case noEntry(folder: String, moduleName: String)
        /// What was linked is not what was asked for.
        case badBinary(ELFError)
        /// A file kept changing while it was compiled.
        case unsteady(file: String)

        /// Two folders would be built into one file.
        case sameOutput(output: String, other: String)
        case outputIsFolder(String)
        /// The output cannot be written.
        case unwritable(SystemError)
        case unreadable(SystemError)
        case interrupted(signal: Int32)
    }

    /// The module's id, or its folder while the id is not known.
    package var subject: String
    package var cause: Cause

    package init(_ subject: String, _ cause: Cause) {
        self.subject = subject
        self.cause = cause
    }
}

extension BuildError: Diagnosable {
    package var diagnostics: [Diagnostic] {
        switch cause {
        case .declaration(let error): error.diagnostics
        default: [Diagnostic("\(subject): \(what)", fix: fix, code: code)]
        }
    }
}
