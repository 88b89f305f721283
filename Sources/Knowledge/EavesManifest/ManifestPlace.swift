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

    /// The path to write into the manifest for a file: relative to the manifest's folder, so that both
    /// can be moved together.
    ///
    /// A file that shares only the root with the manifest keeps its absolute path: one that goes up to
    /// the root and down again would not survive a move either. So does a file to which a relative
    /// path does not lead, because the way to the manifest has links in it.
    ///
    /// - Parameter file: An absolute path.
    package func library(for file: String) -> String {
        let inside = shown(file)
        if inside != file { return inside }
        // The way may lead through links. The file itself may be one, and stays one.
        let folder = Path.parent(of: file)
        guard let realFolder = Files.resolved(folder), let real = Files.resolved(directory) else {
            return file
        }
        let target = Path.join(realFolder, Path.name(of: file))
        let up = Self.path(to: target, from: real)
        // The host takes '..' in the text, and the system takes it on the disk: both have to agree.
        let read = Path.absolute(up, from: directory)
        return Files.resolved(Path.parent(of: read)) == realFolder ? up : file
    }

    /// A path to a file from a folder, with `..`; absolute if the two have only the root in common.
    private static func path(to file: String, from folder: String) -> String {
        let parts = file.utf8.split(separator: UInt8(ascii: "/"))
        let folders = folder.utf8.split(separator: UInt8(ascii: "/"))
        let common = zip(parts, folders).prefix { $0.elementsEqual($1) }.count
        guard common > 0 else { return file }
        let up = Array(repeating: "..", count: folders.count - common)
        return (up + parts.dropFirst(common).map { String(Substring($0)) }).chained(by: "/")
    }

    package func place(of entry: ModuleEntry) -> ManifestPlace {
        ManifestPlace(path: path, position: entry.position, keys: "modules.\(entry.id)")
    }

    package func place(of binding: Binding) -> ManifestPlace {
        ManifestPlace(path: path, position: binding.position, keys: "bindings.\(binding.key.text)")
    }

    package func place(ofDirectory index: Int) -> ManifestPlace {
        ManifestPlace(path: path, keys: "directories[\(index)]")
    }
}
