// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesChild

/// A fixture could not be made, or what a test waits for did not come.
///
/// Unlike the error of `#require`, each test that meets it fails: that one counts as reported once,
/// so that a fixture of many tests would let all but the first pass.
package struct FixtureError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// The program that makes the fixture has failed.
    package init(_ report: ChildReport) {
        description = "\(report.ending): \(String(decoding: report.output, as: UTF8.self))"
    }
}
