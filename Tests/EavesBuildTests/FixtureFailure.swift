// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// Why a fixture that many tests share could not be made.
///
/// Not `#require`: its error counts as told once, so that all tests but the first would pass.
struct FixtureFailure: Error, CustomStringConvertible {
    let description: String

    init(_ report: ChildReport) {
        description = "\(report.ending): \(String(decoding: report.output, as: UTF8.self))"
    }
}
