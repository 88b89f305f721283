// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Something to work on, with all that a value can have.
public struct Job: Codable, Equatable, Sendable {
    /// How soon it has to be done.
    public enum Kind: Codable, Equatable, Sendable {
        case plain
        case urgent(reason: String, after: Job.ID?)
    }
    /// A type by another name.
    public typealias ID = Int

    /// A number below zero, in the tests.
    public var id: ID
    /// A text.
    public var name: String
    /// An enumeration.
    public var kind: Kind
    /// Collections of values that may be missing.
    public var parts: [String: [Double?]]
    /// Bytes.
    public var bytes: [UInt8]

    /// Creates a job.
    public init(id: ID, name: String, kind: Kind, parts: [String: [Double?]], bytes: [UInt8]) {
        self.id = id
        self.name = name
        self.kind = kind
        self.parts = parts
        self.bytes = bytes
    }
}

/// A small value.
public struct Piece: Codable, Equatable, Sendable {
    /// A number.
    public var id: Int
    /// A short text.
    public var name: String
    /// A longer text.
    public var address: String
    /// An empty text.
    public var color: String

    /// Creates a value.
    public init(id: Int, name: String, address: String, color: String) {
        self.id = id
        self.name = name
        self.address = address
        self.color = color
    }
}

/// A value of a list, with members of many kinds.
public struct Entry: Codable, Equatable, Sendable {
    /// A type with a short name in here.
    public enum Mark: String, Codable, Sendable {
        case good, bad
    }

    /// A name that is a word of the language.
    public var `in`: Int
    /// A computed property.
    public var title: String { text + "!" }
    /// A text.
    public var text: String
    /// A value that may be missing.
    public var mark: Mark?
    /// Several values.
    public var pieces: [Piece]
    /// A value inside of this one.
    public var kind: Job.Kind

    /// Creates a value, and refuses an empty text.
    public init(in place: Int, text: String, mark: Mark?, pieces: [Piece], kind: Job.Kind) {
        precondition(!text.isEmpty)
        (`in`, self.text, self.mark, self.pieces, self.kind) = (place, text, mark, pieces, kind)
    }
}

/// A value of a list, some of which no other module may change.
public struct Fixed: Codable, Equatable, Sendable {
    /// A constant.
    public let id: Int
    /// A property with an observer.
    public var seen: Int { didSet { count += 1 } }
    /// A count that others read.
    public private(set) var count = 0

    /// Creates a value.
    public init(id: Int, seen: Int) { (self.id, self.seen) = (id, seen) }
}

/// A value of a list whose members have other names in a message.
public struct Renamed: Codable, Equatable, Sendable {
    /// A number.
    public var id: Int

    /// Creates a value.
    public init(id: Int) { self.id = id }

    private enum CodingKeys: String, CodingKey {
        case id = "number"
    }
}

/// An error that arrives as it was thrown.
public struct WorkError: Error, Codable, Equatable, Sendable {
    /// The reason.
    public var reason: String

    /// Creates an error.
    public init(_ reason: String) { self.reason = reason }
}

/// A service that can run in another process.
public protocol Labour: Sendable {
    /// The number of the process.
    func process() async throws -> Int
    /// Returns the job with another name.
    func done(_ job: Job, by hand: consuming String, `in` place: String?) async throws -> Job
    /// Makes as many values.
    func pieces(_ count: Int) async throws -> [Piece]
    /// Adds to what was done.
    func done(_ count: Int) async throws -> Int
    /// Ends badly in one of many ways.
    func fail(_ how: String) async throws -> Int
    /// Counts, and ends with an error.
    func numbers(to limit: Int) async throws -> AsyncThrowingStream<Int, any Error>
    /// Waits until the task is cancelled.
    func wait() async throws
    /// Notes something with the host's service.
    func note(_ text: String) async throws -> Int
    /// A text of the settings.
    var greeting: String { get async throws }
    /// Has a default, which providers need not know.
    func extra() async throws -> String
    /// Turns a list.
    func turned(_ entries: [Entry]) async throws -> [Entry]
    /// Turns a list.
    func turned(_ fixed: consuming [Fixed]) async throws -> [Fixed]
    /// Turns a list.
    func turned(_ renamed: [Renamed]) async throws -> [Renamed]
}

extension Labour {
    /// The default.
    public func extra() async throws -> String { try await greeting + "!" }
}

/// A service of the host's process.
public protocol Notes: Sendable {
    /// Keeps a text, and returns how many there are.
    func keep(_ text: String) async throws -> Int
}

/// A service with state.
public protocol Ledger: Sendable {
    /// Adds a number, and returns the sum.
    func add(_ number: Int) async throws -> Int
    /// The version in the settings.
    var version: String { get async throws }
}

/// A service that cannot run in another process, for one reason in each requirement.
public protocol Odd: Sendable {
    /// Cannot wait.
    func synchronous(_ number: Int) -> Int
    /// Changes its argument.
    func changing(_ number: inout Int) async throws
    /// Has an argument that is no data.
    func opaque(_ value: Opaque) async throws
}

/// A value that cannot go to another process.
public struct Opaque: Sendable {
    /// Creates a value.
    public init() {}
}
