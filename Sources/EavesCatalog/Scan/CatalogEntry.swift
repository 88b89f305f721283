// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON
package import EavesSystem

/// All that is known of one module without running it.
package struct CatalogEntry: Hashable, Sendable {
    /// What it calls itself; for a file that does not say, its name without `.so`.
    package var id: String
    /// The file as seen from the manifest's folder, for messages and lists.
    package var path: String
    /// The file as an absolute path. It need not exist.
    package var file: String
    /// The folder with the `module.json` that this file is built from, as an absolute path.
    package var source: String?
    /// What the file says; `nil` if it cannot be read or is not there.
    package var note: ModuleNote? { boxedNote?.value }
    /// The declaration in ``note``, else the one in ``source``.
    package var declaration: ModuleDeclaration? {
        boxedNote?.value.declaration ?? sourceDeclaration?.value
    }
    private var boxedNote: Boxed<ModuleNote>?
    private var sourceDeclaration: Boxed<ModuleDeclaration>?
    /// `nil` for a module that is ready, and for one that is disabled.
    package var problem: CatalogProblem?
    /// Whether the manifest has it switched on.
    package var isEnabled = true
    /// Whether the manifest has an entry for it.
    package var isListed = false
    /// The module's own, from the manifest.
    package var settings: [JSON.Member] = []
    /// What the manifest wants the file to hash to. Not checked here: only the very bytes that are
    /// loaded count.
    package var sha256: String?
    /// The file as it was when the note was read; `nil` if there is none.
    package var status: FileStatus?

    /// - Parameters:
    ///   - note: What the file says.
    ///   - declaration: What the source says.
    package init(
        id: String, path: String, file: String, note: ModuleNote? = nil,
        source declaration: ModuleDeclaration? = nil
    ) {
        self.id = id
        self.path = path
        self.file = file
        boxedNote = note.map { Boxed($0) }
        sourceDeclaration = declaration.map { Boxed($0) }
    }

    /// Notes what the source says, for a file that says nothing.
    mutating func declare(_ declaration: ModuleDeclaration) {
        sourceDeclaration = Boxed(declaration)
    }

    package var state: ModuleState {
        isEnabled ? problem?.state ?? .ready : .disabled
    }

    /// Whether `eaves build` can make this module, or make it anew.
    package var isBuildable: Bool {
        guard source != nil, declaration != nil else { return false }
        if case .duplicateID = problem { return false }
        return true
    }

    /// Whether its services and features can be had: it is ready, or can be made so by a build.
    package var isAvailable: Bool {
        switch state {
        case .ready: true
        case .missing, .invalid, .incompatible: isBuildable && isMendedByBuild
        case .disabled, .untrusted, .quarantined: false
        }
    }

    private var isMendedByBuild: Bool {
        switch problem {
        case .binary, .note, .incompatible, .notBuilt: true
        default: false
        }
    }
}
