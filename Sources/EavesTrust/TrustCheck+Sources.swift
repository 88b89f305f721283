// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

extension TrustCheck {
    /// What speaks against building from a folder and loading what comes of it: all that lies in it
    /// counts, but hidden files. `nil` if nothing does.
    package func fault(ofSources folder: String) -> TrustError? {
        if let fault = error(of: TrustPlace(folder, .way)) { return fault }
        // What cannot be read is not built either.
        guard let entries = try? Folder(folder).entries else { return nil }
        for entry in entries where entry.name.utf8.first != UInt8(ascii: ".") {
            let path = Path.join(folder, entry.name)
            let fault =
                entry.kind == .directory
                ? error(ofSources: path) : error(of: TrustPlace(path, .source))
            if let fault { return fault }
        }
        return nil
    }
}
