// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport

extension TemporaryFolder {
    /// Writes `manifest.json` and returns its path.
    @discardableResult
    func write(_ text: String) throws -> String {
        try write(text, to: "manifest.json")
    }

    /// The text of `manifest.json`.
    func read() throws -> String {
        try read("manifest.json")
    }
}
