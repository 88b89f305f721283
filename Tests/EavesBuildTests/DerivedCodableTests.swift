// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesProcess
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesBuild
@testable import EavesCode
@testable import EavesCompiler

/// Lets the compiler describe an interface, and asks which structs have a `Codable` that it has derived.
@Suite(.patiently) struct DerivedCodableTests {
    private static let source = """
        public protocol Work: Sendable {
            func all() async throws -> [Derived]
        }

        public struct Derived: Codable, Hashable, Sendable {
            public let derivedPublic: Int
            private var derivedPrivate: [String]?
            public var derivedComputed: Int { derivedPublic }
            public struct Inner: Codable, Sendable { public var isInner: Bool }
        }

        public struct Late: Sendable { public var isLate: Int }
        extension Late: Codable {}

        public struct OwnKeys: Codable, Sendable {
            public var value: Int
            private enum CodingKeys: String, CodingKey { case value = "other" }
        }

        public struct OwnEncoding: Codable, Sendable {
            public var value: Int
            public func encode(to encoder: any Encoder) throws {}
        }

        public struct OwnDecoding: Sendable { public var value: Int }
        extension OwnDecoding: Codable {
            public init(from decoder: any Decoder) throws { value = 1 }
        }

        public struct Raw: RawRepresentable, Codable, Sendable {
            public var rawValue: Int
            public var value: Int { rawValue }
            public init(rawValue: Int) { self.rawValue = rawValue }
        }

        public protocol Stored: Codable {}
        extension Stored {
            public func encode(to encoder: any Encoder) throws {}
        }
        public struct Inherited: Stored, Sendable { public var value: Int }

        public struct Parameter<Value: Codable & Sendable>: Codable, Sendable {
            public var value: Value
        }

        public protocol Untyped: Sendable {
            func one() async throws -> Any
            func two(_ value: [any Sendable]) async throws
            func three(_ value: AnyObject) async throws
        }

        public struct Quoted: Codable, Sendable { public var `the "value"`: Int }

        public final class Object: Codable, Sendable { public let value: Int = 1 }
        struct Internal: Codable, Sendable { var value: Int }

        """

    @Test("structs are found whose Codable the compiler has derived, and no others")
    func derived() throws {
        let scratch = try TemporaryFolder()
        let source = try scratch.write(Self.source, to: "WorkAPI.swift")
        let toolchain = try Toolchain.locate(environment: .current)
        let report = try ChildPool.run(
            ChildCommand(
                toolchain.swiftc,
                [
                    "-parse-as-library", "-swift-version", "6", "-module-name", "WorkAPI",
                    "-enable-library-evolution", "-emit-module",
                    "-emit-module-path", scratch.file("WorkAPI.swiftmodule"), source,
                ] + InterfaceCommand.symbolGraphOptions(in: scratch.path)))
        guard report.ending.isSuccess else { throw FixtureError(report) }
        let bytes = try Files.read(scratch.file("WorkAPI.symbols.json"))
        let remote = RemoteProtocols(try #require(SymbolGraph(bytes)), foreignTypes: [])
        // Private declarations are no part of the interface.
        #expect(remote.all.map(\.name) == ["Work", "Stored", "Untyped"])
        #expect(
            remote.report.protocols["Untyped"]?.map(\.reason) == [
                "result: 'Any' is existential",
                "parameter 'value': '[any Sendable]' is existential",
                "parameter 'value': 'AnyObject' is of another module, which does not say that it is Codable",
            ])
        let derived = remote.derived.map { type, properties in
            "\(type.path.joined(separator: ".")): \(properties.sorted().joined(separator: ", "))"
        }
        #expect(
            derived.sorted() == [
                "Derived.Inner: isInner",
                "Derived: derivedComputed, derivedPrivate, derivedPublic",
                "Late: isLate",
            ])
    }
}
