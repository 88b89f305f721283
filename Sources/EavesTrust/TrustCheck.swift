// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesManifest
import EavesSystem

/// Looks at who can change what a manifest leads to. Reads what the file system says, no content.
package struct TrustCheck: Sendable {
    /// The folder of the manifest.
    private let folder: String?

    /// - Parameter folder: That of the manifest, as an absolute path; without one, every path is
    ///   looked at from the root on.
    package init(from folder: String?) {
        self.folder = folder
    }

    package init(_ manifest: Manifest) {
        self.init(from: manifest.directory)
    }

    /// What speaks against a file or directory, or the way to it; `nil` if nothing does, or if there
    /// is nothing.
    package func fault(of place: TrustPlace) -> TrustError? {
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

    /// What speaks against the store, or its folder of modules' copies; `nil` also if there is none.
    package func fault(ofStore path: String) -> TrustError? {
        let copies = Path.join(path, "modules")
        for folder in [path, copies] {
            // It may be anything but a folder; then it is not used.
            guard let status = try? FileStatus(path: folder), status.kind == .directory else {
                return nil
            }
            if let fault = TrustRule.error(of: status, at: TrustPlace(folder, .store)) {
                return fault
            }
        }
        // It may also be a link to somewhere.
        return error(of: TrustPlace(copies, .store))
    }

    /// What speaks against the manifest itself: who can write it can say where modules are, and what
    /// they have to hash to.
    package static func fault(of manifest: Manifest) -> TrustError? {
        TrustCheck(manifest).error(of: TrustPlace(manifest.path, .manifest))
    }
}
