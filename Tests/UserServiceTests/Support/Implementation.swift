// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTesting
import Testing

/// The implementations of the users that keep the whole contract.
enum Implementation: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory = "users-memory"
    case sqlite = "users-sqlite"
    case restOverMemory = "users-rest over users-memory"
    case restOverSQLite = "users-rest over users-sqlite"

    var testDescription: String { rawValue }

    /// Runs a test with a new service of this implementation, from its real module.
    func withUsers(_ body: (any UserService) async throws -> Void) async throws {
        switch self {
        case .memory, .sqlite:
            let site = try Site(rawValue)
            try await body(try site.container().resolve((any UserService).self))
            withExtendedLifetime(site) {}
        case .restOverMemory: try await Self.overREST(Implementation.memory, body)
        case .restOverSQLite: try await Self.overREST(Implementation.sqlite, body)
        }
    }

    private static func overREST(
        _ served: Implementation, _ body: (any UserService) async throws -> Void
    ) async throws {
        try await Site(served.rawValue).serving { address in
            let client = try Site(
                "users-rest", settings: #"{ "url": "\#(address)", "timeout": 120 }"#)
            try await body(try client.container().resolve((any UserService).self))
            withExtendedLifetime(client) {}
        }
    }
}
