// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A person who has signed.
public struct Guest: Codable, Equatable, Sendable {
    /// The name.
    public var name: String
    /// The places that the guest has been to.
    public var places: [String: Int]

    /// Creates a guest.
    public init(name: String, places: [String: Int]) {
        self.name = name
        self.places = places
    }
}

/// A book for guests. It knows nothing of actors.
public protocol Book: Sendable {
    /// Signs, and returns who has signed so far.
    func sign(_ guest: consuming Guest, `in` place: String?) async throws -> [Guest]
    /// Tears all pages out.
    func clear() async throws
    /// The title.
    var title: String { get async throws }
    /// Has a default.
    func greeting(to name: String) async throws -> String
}

extension Book {
    /// The default.
    public func greeting(to name: String) async throws -> String {
        "\(try await title) greets \(name)"
    }
}

/// A book whose pages come one by one.
public protocol Pages: Book {
    /// The pages.
    func pages() async throws -> AsyncThrowingStream<String, any Error>
}
