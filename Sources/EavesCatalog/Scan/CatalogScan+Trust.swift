// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTrust
import EavesManifest
import EavesSystem

extension CatalogScan {
    /// Marks the modules that somebody else may have put there, or may change.
    ///
    /// Each directory is looked at once; of a plain file in it, what was known anyway is enough.
    mutating func checkTrust() {
        let check = TrustCheck(manifest)
        let manifestFault = TrustCheck.error(of: manifest)
        // What is in one directory stands together.
        var last: (directory: String, fault: TrustError?)?
        var roots: [String]?
        for index in entries.indices {
            guard let status = entries[index].status else { continue }
            var fault = manifestFault
            if fault == nil, let directory = findings[index].directory {
                if last?.directory != directory {
                    last = (directory, check.error(of: TrustPlace(directory, .way)))
                }
                fault = last?.fault
            }
            if fault == nil, findings[index].isPlain {
                let place = TrustPlace(entries[index].file, .module)
                fault = TrustRule.error(of: status, at: place)
            } else if fault == nil {
                if roots == nil { roots = realDirectories }
                fault =
                    escapeFault(at: index, from: roots ?? [])
                    ?? check.error(of: TrustPlace(entries[index].file, .module))
            }
            if let fault { entries[index].problem = .untrusted(fault) }
        }
    }

    /// A link that leads out of all the manifest's directories. What the manifest lists may lie
    /// anywhere.
    private func escapeFault(at index: Int, from roots: [String]) -> TrustError? {
        guard !findings[index].isListedFile else { return nil }
        return TrustCheck.error(ofLink: entries[index].file, leadingOutOf: roots)
    }

    /// The manifest's directories, without links.
    private var realDirectories: [String] {
        manifest.directories.compactMap {
            Files.resolved(Path.absolute($0, from: manifest.directory))
        }
    }
}
