// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The object that `eaves quarantine --json` prints.
struct QuarantineReport: Decodable {
    struct Crash: Decodable {
        let time: Int
        let signal: Int32
        let signalName: String
        let generation: Int?
        let feature: String?
    }

    struct Module: Decodable {
        let id: String
        let path: String
        let sha256: String
        let quarantined: Bool
        let since: Int?
        let reason: String?
        let crashes: [Crash]
    }

    let schema: Int
    let modules: [Module]
}

extension Workspace {
    /// The modules that have crashed, as `eaves quarantine --json` prints them.
    func crashed() throws -> [QuarantineReport.Module] {
        let outcome = try eaves("quarantine", "--json")
        #expect(outcome.code == 0, "\(outcome)")
        return try JSONDecoder().decode(QuarantineReport.self, from: Data(outcome.output.utf8))
            .modules
    }
}
