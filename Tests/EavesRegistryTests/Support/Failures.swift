// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Testing

/// Returns the error with which a resolution has to fail.
func failure<Service>(
    sourceLocation: SourceLocation = #_sourceLocation, of resolve: () throws -> Service
) throws -> ResolutionError {
    try #require(throws: ResolutionError.self, sourceLocation: sourceLocation) {
        _ = try resolve()
    }
}

/// Returns the error with which a resolution has to fail that is awaited.
func failureAsync<Service>(
    sourceLocation: SourceLocation = #_sourceLocation, of resolve: () async throws -> Service
) async throws -> ResolutionError {
    try await #require(throws: ResolutionError.self, sourceLocation: sourceLocation) {
        _ = try await resolve()
    }
}

extension ResolutionError {
    /// The name of the reason, such as `cycle`.
    var kind: String { String("\(reason)".prefix { $0 != "(" }) }

    /// The services from the outermost one to the one that failed.
    var path: [String] { (chain + [wanted]).map(\.service) }

    /// The error of a test's factory or module.
    var broken: Broken? {
        switch reason {
        case .factoryFailed(let error), .moduleFailed(let error): error as? Broken
        default: nil
        }
    }
}
