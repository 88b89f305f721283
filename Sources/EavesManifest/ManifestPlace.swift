// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON
import EavesSystem

/// A place in the manifest, for messages.
package struct ManifestPlace: Hashable, Sendable {
    /// The manifest as an absolute path.
    package var path: String
    package var position: TextPosition?
    /// The keys that lead there, such as `modules.users`.
    package var keys: String

    package init(path: String, position: TextPosition? = nil, keys: String) {
        self.path = path
        self.position = position
        self.keys = keys
    }
}

extension ManifestPlace: CustomStringConvertible {
    /// `manifest.json:7:5: modules.users`, as seen from the working directory.
    package var description: String {
        let file = Path.relative(path, to: Path.current)
        return position.map { "\(file):\($0): \(keys)" } ?? "\(file): \(keys)"
    }
}

extension Manifest {
    /// A path as seen from the manifest's folder.
    package func shown(_ path: String) -> String {
        path == directory ? "." : Path.relative(path, to: directory)
    }

    package func place(of entry: ModuleEntry) -> ManifestPlace {
        ManifestPlace(path: path, position: entry.position, keys: "modules.\(entry.id)")
    }

    package func place(of binding: Binding) -> ManifestPlace {
        ManifestPlace(path: path, position: binding.position, keys: "bindings.\(binding.service)")
    }

    package func place(ofDirectory index: Int) -> ManifestPlace {
        ManifestPlace(path: path, keys: "directories[\(index)]")
    }
}
