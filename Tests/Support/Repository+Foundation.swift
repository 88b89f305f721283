// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import Foundation

extension Repository {
    /// Its top folder, for tests that name files by URLs.
    package static let folder = URL(fileURLWithPath: path, isDirectory: true)

    package static func file(_ name: String) -> URL { folder.appendingPathComponent(name) }
}
