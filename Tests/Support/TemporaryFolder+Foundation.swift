// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import Foundation

extension TemporaryFolder {
    /// The folder, for tests that name files by URLs.
    package var url: URL { URL(fileURLWithPath: path, isDirectory: true) }
}
