// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesManifest
import EavesSystem

/// Checks who can change the files that a manifest leads to. ``TrustRule`` says what is wrong with a
/// file; this type says which files to look at. It reads the status of files, not their content.
package struct TrustCheck: Sendable {
    /// The folder of the manifest.
    private let folder: String?

    /// - Parameter folder: The folder of the manifest, as an absolute path. Without one, each path is
    ///   followed from the root.
    package init(from folder: String?) {
        self.folder = folder
    }

    package init(_ manifest: Manifest) {
        self.init(from: manifest.directory)
    }

    /// Looks at a file or directory and at the way to it.
    ///
    /// - Returns: The first error; `nil` if all of it is trusted, or if there is no such file.
    package func error(of place: TrustPlace) -> TrustError? {
        do throws(TrustError) {
            _ = try TrustWalk.follow(place, from: folder)
            return nil
        } catch {
            guard case .unresolved(_, let reason) = error, reason.errno.meansMissing,
                (try? FileStatus(path: place.path)) == nil
            else { return error }
            return nil
        }
    }

    /// Looks at the manifest itself: someone who can write it decides where modules are, and which
    /// digests they need.
    package static func error(of manifest: Manifest) -> TrustError? {
        TrustCheck(manifest).error(of: TrustPlace(manifest.path, .manifest))
    }

    /// Looks at the store and at its folder of private copies. A missing store is no error.
    package func error(ofStore path: String) -> TrustError? {
        let copies = Path.join(path, "modules")
        for folder in [path, copies] {
            // Something other than a folder is not used as a store.
            guard let status = try? FileStatus(path: folder), status.kind == .directory else {
                return nil
            }
            if let error = TrustRule.error(of: status, at: TrustPlace(folder, .store)) {
                return error
            }
        }
        // The store may be a link, whose way counts as well.
        return error(of: TrustPlace(copies, .store))
    }

    /// Looks at a folder of sources, and at everything in it but hidden files: a build turns these
    /// files into code that is loaded next.
    package func error(ofSources folder: String) -> TrustError? {
        if let error = error(of: TrustPlace(folder, .way)) { return error }
        // A folder that cannot be read cannot be built either.
        guard let entries = try? Folder(folder).entries else { return nil }
        for entry in entries where entry.name.utf8.first != UInt8(ascii: ".") {
            let path = Path.join(folder, entry.name)
            let error =
                entry.kind == .directory
                ? error(ofSources: path) : error(of: TrustPlace(path, .source))
            if let error { return error }
        }
        return nil
    }

    /// Looks at where a file really is: a link in one of the manifest's directories must not lead out
    /// of all of them. The caller exempts files that the manifest lists.
    ///
    /// - Parameter directories: The manifest's directories, as paths without links.
    package static func error(
        ofLink file: String, leadingOutOf directories: [String]
    ) -> TrustError? {
        guard let target = Files.resolved(file) else { return nil }
        let isInside = directories.contains { target.utf8.starts(with: ($0 + "/").utf8) }
        return isInside ? nil : .escapes(link: file, target: target)
    }
}
