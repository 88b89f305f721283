// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesManifest
package import EavesSystem

/// Checks who can change the modules of a manifest, one after the other.
///
/// It looks at each directory once. A regular file in it needs no further system call, since the caller
/// has its status.
package struct ModuleTrust {
    private let manifest: Manifest
    private let check: TrustCheck
    /// The problem of the manifest itself, which is a problem of every module.
    private let manifestError: TrustError?
    /// Modules of one directory come one after the other.
    private var last: (directory: String, error: TrustError?)?
    /// The manifest's directories, without links.
    private lazy var roots = manifest.directories.compactMap {
        Files.resolved(Path.absolute($0, from: manifest.directory))
    }

    package init(_ manifest: Manifest) {
        self.manifest = manifest
        check = TrustCheck(manifest)
        manifestError = TrustCheck.error(of: manifest)
    }

    /// - Parameters:
    ///   - file: The module's file, as an absolute path.
    ///   - status: The status of that file, through links.
    ///   - directory: The manifest's directory that holds it; `nil` for a file that the manifest lists,
    ///     which may be anywhere.
    ///   - isRegularFile: Whether the directory's listing called it a regular file, so that it is no link.
    package mutating func error(
        of file: String, _ status: FileStatus, in directory: String?, isRegularFile: Bool
    ) -> TrustError? {
        if let manifestError { return manifestError }
        let place = TrustPlace(file, .module)
        guard let directory else { return check.error(of: place) }
        if last?.directory != directory {
            last = (directory, check.error(of: TrustPlace(directory, .way)))
        }
        if let error = last?.error { return error }
        if isRegularFile { return TrustRule.error(of: status, at: place) }
        return TrustCheck.error(ofLink: file, leadingOutOf: roots) ?? check.error(of: place)
    }
}
