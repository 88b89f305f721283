// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesQuarantine
package import EavesTrust
package import EavesELF
import EavesSystem

/// Why a module cannot be loaded as it is.
package enum CatalogProblem: Error, Hashable, Sendable {
    /// The file is no shared object.
    case binary(ELFProblem)
    /// It is one, but does not say that it is a module.
    case note(NoteProblem)
    /// It is a module for another host.
    case incompatible(CompatibilityProblem)
    /// The `module.json` that it would be built from is wrong.
    case declaration(DeclarationError)
    /// There are sources, in this folder, and no file yet.
    case notBuilt(folder: String)
    /// The manifest speaks of a module that is nowhere; `known` are those that are.
    case unknownModule(ManifestPlace, known: [String])
    /// The manifest lists the file under another id than its own.
    case otherID(String, ManifestPlace)
    /// Another module with this id, from this path, is used.
    case duplicateID(used: String)
    /// The manifest wants the module in a process of its own, which this host cannot do. To run it
    /// unprotected is not what was asked for.
    case cannotIsolate(ManifestPlace)
    /// It is a core module, and declares that it needs what only features provide.
    case layer([UpwardNeed])
    /// Somebody else may have put it there, or may change it. What it says is worth nothing then.
    case untrusted(TrustFault)
    /// It crashed, and is kept out for it.
    case quarantined(QuarantineRecord)

    package var state: ModuleState {
        switch self {
        case .binary(.unreadable(let error)) where error.errno.meansMissing: .missing
        case .binary(.wrongClass), .binary(.wrongByteOrder), .incompatible: .incompatible
        case .notBuilt, .unknownModule: .missing
        case .untrusted: .untrusted
        case .quarantined: .quarantined
        case .binary, .note, .declaration, .otherID, .duplicateID, .cannotIsolate,
            .layer:
            .invalid
        }
    }
}
