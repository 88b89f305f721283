// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesSystem

extension CatalogScan {
    /// Marks the modules that somebody else may have put there, or may change.
    ///
    /// Each directory is looked at once; of a plain file in it, what was known anyway is enough.
    mutating func checkTrust() {
        let check = TrustCheck(manifest)
        let manifestFault = TrustCheck.fault(of: manifest)
        // What is in one directory stands together.
        var last: (directory: String, fault: TrustFault?)?
        var roots: [String]?
        for index in found.indices {
            guard let status = found[index].entry.status else { continue }
            var fault = manifestFault
            if fault == nil, let directory = found[index].directory {
                if last?.directory != directory {
                    last = (directory, check.fault(of: TrustPlace(directory, .way)))
                }
                fault = last?.fault
            }
            if fault == nil, found[index].isPlain {
                let place = TrustPlace(found[index].entry.file, .module)
                fault = TrustRule.fault(of: status, at: place)
            } else if fault == nil {
                if roots == nil { roots = realDirectories }
                fault =
                    escape(of: found[index], from: roots ?? [])
                    ?? check.fault(of: TrustPlace(found[index].entry.file, .module))
            }
            if let fault { found[index].entry.problem = .untrusted(fault) }
        }
    }

    /// A link that leads out of all the manifest's directories. What the manifest lists may lie
    /// anywhere.
    private func escape(of module: Found, from roots: [String]) -> TrustFault? {
        guard !module.isListedFile, let target = Files.resolved(module.entry.file) else {
            return nil
        }
        let isInside = roots.contains { target.utf8.starts(with: ($0 + "/").utf8) }
        return isInside ? nil : .escapes(link: module.entry.file, target: target)
    }

    /// The manifest's directories, without links.
    private var realDirectories: [String] {
        manifest.directories.compactMap {
            Files.resolved(Path.absolute($0, from: manifest.directory))
        }
    }
}
