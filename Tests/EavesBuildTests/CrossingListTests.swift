// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesProcess
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesBuild
@testable import EavesCode
@testable import EavesCompiler

@Suite("The code of lists in an interface's calls", .onOwnThreads, .patiently)
struct CrossingListTests {
    /// The members of the structs that the code knows, with `=` before those that only an initialiser can set.
    private func lists(_ structs: String, in types: String...) throws -> [String: [String]] {
        let folder = try TemporaryFolder()
        let requirements = types.map { "func one(_ list: [\($0)]) async throws -> [Int]\n" }
        try folder.write(
            structs + "\npublic protocol P: Sendable {\n\(requirements.joined())}\n", to: "A.swift")
        let report = try ChildPool.run(
            ChildCommand(
                Toolchain.locate().swiftc,
                [
                    "-emit-module", "-parse-as-library", "-swift-version", "6", "-module-name", "A",
                    "-enable-library-evolution", "-o", folder.file("A.swiftmodule"),
                    folder.file("A.swift"),
                ] + InterfaceCommand.symbolGraphOptions(in: folder.path)))
        #expect(report.ending.isSuccess, "\(report)")
        let bytes = try Files.read(folder.file("A.symbols.json"), limit: 1 << 24)
        let remote = RemoteProtocols(try #require(SymbolGraph(bytes)), foreignTypes: [])
        let source = CrossingCode(remote, of: "A", importing: []).source
        var lists: [String: [String]] = [:]
        for line in source.split(separator: "\n") where line.hasPrefix("private let _eavesMembers")
        {
            let type = try #require(line.split(separator: "(of: ").last)
            let name = String(type.dropFirst(2).prefix { $0 != "," }.dropLast(5))
            let members = line.split(separator: "\"").enumerated().filter { $0.offset % 2 == 1 }
            let isRead = source.contains("read(_ type: [A.\(name)].Type)")
            lists[name] = members.map { (isRead ? "" : "=") + $0.element }
        }
        return lists
    }

    @Test("knows a struct whose Codable the compiler has derived, and no other")
    func derived() throws {
        let structs = """
            public struct Plain: Codable, Hashable, Sendable {
                public var a: Int
                public var `in`: [String?]
                public var sum: Int { a }
                public static let none = 0
            }
            public struct Constant: Codable, Sendable { public let a: Int; public var b: String }
            @frozen public struct Frozen: Codable, Sendable { public var a: Int }
            public struct Around { public struct Inner: Codable, Sendable { public var a: Int } }
            public struct Observed: Codable, Sendable {
                public var a: Int; public var b: Int { didSet {} }
                public private(set) var c: Int; var d: Int; private var e: Int
            }
            public struct Keys: Codable, Sendable {
                public var a: Int
                private enum CodingKeys: String, CodingKey { case a = "b" }
            }
            public struct Written: Codable, Sendable {
                public var a: Int
                public func encode(to encoder: any Encoder) throws {}
            }
            public struct Read: Codable, Sendable {
                public var a: Int
                public init(from decoder: any Decoder) throws { a = 1 }
            }
            public protocol Coded: Codable {}
            extension Coded { public func encode(to encoder: any Encoder) throws {} }
            public struct Inherited: Coded, Sendable { public var a: Int }
            public struct Generic<Value: Codable & Sendable>: Codable, Sendable {
                public var a: Value
            }
            public enum Choice: String, Codable, Sendable { case a }
            public struct Unused: Codable, Sendable { public var a: Int }
            """
        let found = try lists(
            structs, in: "Plain", "Constant", "Frozen", "Around.Inner", "Observed", "Keys",
            "Written", "Read", "Inherited", "Choice")
        #expect(
            found == [
                "Plain": ["a", "in"], "Constant": ["=a", "=b"], "Frozen": ["a"],
                "Around.Inner": ["a"],
                // The worker and its host see that the struct stores more.
                "Observed": ["a"],
            ])
    }
}
