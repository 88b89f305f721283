// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// Checks who can change the modules of a manifest, one after the other.
///
/// It looks at each directory once. A regular file in it needs no further system call, since the caller
/// has its status.
package struct ModuleTrust: Sendable {
    private let check: TrustCheck
    private let directories: [String]
    /// Modules of one directory come one after the other.
    private var last: (directory: String, error: TrustError?)?
    /// The manifest's directories, without links.
    private lazy var roots = directories.compactMap { Files.resolved($0) }

    /// - Parameters:
    ///   - check: The check of the manifest.
    ///   - directories: The manifest's directories, as absolute paths.
    package init(_ check: TrustCheck, directories: [String]) {
        self.check = check
        self.directories = directories
    }

    /// - Parameters:
    ///   - file: The module's file, as an absolute path.
    ///   - status: The status of that file, through links.
    ///   - directory: The manifest's directory that holds it; `nil` for a file that the manifest lists,
    ///     which may be anywhere.
    ///   - isRegularFile: Whether the directory's listing called it a regular file, and not a link.
    package mutating func error(
        of file: String, _ status: FileStatus, in directory: String?, isRegularFile: Bool
    ) -> TrustError? {
        let place = TrustPlace(file, .module)
        guard let directory else { return check.error(of: place) }
        if last?.directory != directory {
            last = (directory, check.error(of: TrustPlace(directory, .way)))
        }
        if let error = last?.error { return error }
        if isRegularFile { return check.error(of: status, at: place) }
        return TrustCheck.error(ofLink: file, leadingOutOf: roots) ?? check.error(of: place)
    }
}
