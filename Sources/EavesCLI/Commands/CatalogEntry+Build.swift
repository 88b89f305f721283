// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesCatalog

extension CatalogEntry {
    /// How to build it; `nil` if it has no sources here.
    ///
    /// - Parameter configuration: `nil` for that of the last build.
    func request(_ configuration: BuildConfiguration?) -> BuildRequest? {
        source.map {
            BuildRequest(id: id, folder: $0, output: file, configuration: configuration)
        }
    }
}
