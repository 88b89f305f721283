// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesSystem

extension Manifest {
    /// The file as messages name it.
    var shownPath: String { Path.relative(path, to: Path.current) }
}

extension ParsedOptions {
    /// The manifest that the command works on: `--manifest PATH`, else the nearest one upwards.
    func manifest() throws -> Manifest {
        if let path = value(.manifest) { return try Manifest.load(Path.absolute(path)) }
        guard let path = Manifest.find(from: Path.current) else {
            throw ManifestSearchFault(folder: Path.current)
        }
        return try Manifest.load(path)
    }

    /// The folder of that manifest, as an absolute path, whatever the manifest says; `nil` if there
    /// is none.
    var manifestFolder: String? {
        if let path = value(.manifest) { return Path.parent(of: Path.absolute(path)) }
        return Manifest.find(from: Path.current).map(Path.parent)
    }
}
