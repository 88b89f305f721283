// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesBuildTestSupport
@testable import EavesCompiler
import EavesDeclaration
import EavesELF
import EavesSystem
import EavesTestSupport
import Testing

/// These tests compare what files say about requirements with what the compiler writes, for every kind of requirement.
@Suite("the requirements of an interface's protocols", .onOwnThreads)
struct RequirementTests {
    private static let shared = """
        public protocol Named { var name: String { get } }
        public protocol Sealed { func seal() }
        extension Sealed { public func seal() {} }

        """
    private static let first = """
        public protocol Shelf: Named, Sendable {
            associatedtype Item: Equatable
            associatedtype Key = String
            init(size: Int)
            static func make() -> Self
            func load() async throws -> [Item]
            func count() -> Int
            var room: Int { get }
            subscript(index: Int) -> Item { get }
        }
        extension Shelf { public func count() -> Int { 0 } }

        """
    private static let module = """
        import Shelves

        final class Box: Shelf {
            typealias Item = Int
            let name = "box"
            init(size: Int) {}
            static func make() -> Box { Box(size: 1) }
            func load() async throws -> [Int] { [] }
            let room = 3
            subscript(index: Int) -> Int { index }
        }

        struct Pair<Element>: Named { let name = "pair" }
        extension Pair: Sealed where Element: Equatable {}

        public func path<S: Shelf>(of type: S.Type) -> KeyPath<S, Int> { \\S.room }

        """

    /// Changes to a later state of the protocol, and the requirements that the module then lacks.
    private struct Change {
        let changes: [(String, String)]
        var addition = ""
        var lacking: [String] = []
        var gone: [String] = []
    }

    private static let changes = [
        // Other bodies, another order, and what has a default, break nobody.
        Change(
            changes: [
                ("{ 0 }", "{ 1 }"),
                (
                    "    init(size: Int)\n    static func make() -> Self\n",
                    "    static func make() -> Self\n    init(size: Int)\n"
                ), ("init(size", "func wind() -> Int\n    init(size"),
                ("associatedtype Key", "associatedtype Value = Int\n    associatedtype Key"),
                ("Key = String", "Key: Hashable = String"),
            ], addition: "extension Shelf { public func wind() -> Int { 0 } }\n"),
        Change(
            changes: [("    func load() async throws -> [Item]\n", "")],
            gone: ["Shelves.Shelf.load() async throws -> Swift.Array<A.Item>"]),
        Change(
            changes: [
                // A default for some types is none for the others.
                (
                    "init(size",
                    "func gust() -> Int\n    func wind() async throws -> Int\n    init(size"
                ),
                ("static func make()", "static func best() -> Int\n    static func make()"),
                ("associatedtype Key", "associatedtype Value\n    associatedtype Key"),
                ("Named, Sendable", "Named, Sealed, Sendable"),
                ("room: Int { get }", "room: Int { get set }"),
            ],
            addition: "extension Shelf where Item == Int { public func gust() -> Int { 0 } }\n",
            lacking: [
                "Shelves.Shelf.gust() -> Swift.Int",
                "Shelves.Shelf.wind() async throws -> Swift.Int",
                "static Shelves.Shelf.best() -> Swift.Int", "Shelves.Shelf.Value",
                "Shelves.Shelf: Shelves.Sealed", "Shelves.Shelf.room.modify : Swift.Int",
                "Shelves.Shelf.room.setter : Swift.Int",
            ]),
        Change(
            changes: [
                ("Item: Equatable", "Item: Hashable"),
                ("func load() async", "func load(_ count: Int) async"),
            ],
            lacking: [
                "Shelves.Shelf.Shelves.Shelf.Item: Swift.Hashable",
                "Shelves.Shelf.load(Swift.Int) async throws -> Swift.Array<A.Item>",
            ],
            gone: [
                "Shelves.Shelf.Shelves.Shelf.Item: Swift.Equatable",
                "Shelves.Shelf.load() async throws -> Swift.Array<A.Item>",
            ]),
    ]

    @Test("are compared with those that a module was compiled against, in both configurations")
    func compared() throws {
        let fixture = try InterfaceFixture()
        var interface = try fixture.addInterface(
            "Shelves", id: "shelves", source: Self.shared + Self.first)
        var user = try fixture.addModule(
            "Boxes", id: "boxes", interfaces: ["shelves"], source: Self.module)
        for configuration in [BuildConfiguration.debug, .release] {
            interface.configuration = configuration
            user.configuration = configuration
            try fixture.addInterface("Shelves", id: "shelves", source: Self.shared + Self.first)
            #expect(fixture.build(interface, user) == ["shelves: built", "boxes: built"])
            let stamp = try #require(try fixture.note(interface).declaration.interfaceStamp)
            let conformances = try SwiftConformance.all(in: user.output, to: [stamp])
            #expect(
                conformances.map(\.protocolSymbol).sorted() == [
                    "$s7Shelves5NamedMp", "$s7Shelves5NamedMp", "$s7Shelves5ShelfMp",
                    "$s7Shelves6SealedMp",
                ])
            // The module implements exactly what the interface has: the digests of both are equal.
            let protocols = ModuleContent(interface.output).protocols
            #expect(protocols.declared.count == 3)
            let implemented = ModuleContent(user.output).protocols.implemented
            #expect(implemented.count == 3)
            #expect(implemented.allSatisfy(protocols.fits))
            #expect(Set(implemented) == Set(protocols.declared))

            // The optimiser leaves alone what the comparison reads: a few changes show that.
            for change in configuration == .debug ? Self.changes[...] : Self.changes.suffix(2) {
                let text = change.changes.reduce(Self.first) { text, change in
                    #expect(text.contains(change.0))
                    return text.replacing(change.0, with: change.1)
                }
                try fixture.addInterface(
                    "Shelves", id: "shelves", source: Self.shared + text + change.addition)
                #expect(fixture.build(interface) == ["shelves: built"], "\(change)")
                let now = try InterfaceProtocols(of: interface.output, stamp)
                let lacking = now.requirements(lackingIn: conformances)
                #expect(
                    lacking.map(SymbolName.requirement).sorted() == change.lacking.sorted(),
                    "\(change), \(configuration)")
                let gone = now.requirements(goneFor: conformances)
                #expect(
                    gone.map(SymbolName.requirement).sorted() == change.gone.sorted(),
                    "\(change), \(configuration)")
            }
        }
    }

    @Test("are read from any damaged file, or the file is refused")
    func damaged() throws {
        let fixture = try InterfaceFixture()
        let interface = try fixture.addInterface(
            "Shelves", id: "shelves", source: Self.shared + Self.first)
        let user = try fixture.addModule(
            "Boxes", id: "boxes", interfaces: ["shelves"], source: Self.module)
        #expect(fixture.build(interface, user) == ["shelves: built", "boxes: built"])
        let stamp = try #require(try fixture.note(interface).declaration.interfaceStamp)
        var refused = 0
        for (file, read) in [
            (interface.output, { _ = try InterfaceProtocols(of: $0, stamp) }),
            (user.output, { _ = try SwiftConformance.all(in: $0, to: [stamp]) }),
        ] as [(String, (String) throws -> Void)] {
            let bytes = try Files.read(file, limit: 1 << 24)
            for offset in Soak.sample(bytes.indices, every: 61) {
                var damaged = bytes
                damaged[offset] ^= 0xff
                let path = try fixture.scratch.write(damaged, to: "damaged.so")
                do { try read(path) } catch is ELFError { refused += 1 }
            }
        }
        #expect(refused > 0)
    }
}
