// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

/// Distributed actors for the plain protocols of an interface module.
@Suite("eaves interface actors", .onOwnThreads)
struct DistributedTests {
    /// The built modules. Each test has a copy.
    private static let built = Result { try BuiltFixture("Distributed") }

    private let folder: TemporaryFolder
    private var eaves: Eaves { Eaves(folder: folder.url, owner: folder) }

    init() throws { folder = try Self.built.get().copy() }

    @Test("are made as the fixture has them")
    func source() throws {
        let outcome = try eaves("interface", "actors", "book-api", "Book")
        #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(try outcome.output == folder.read("Plugins/Bridge/BookActors.swift"))
        // Without names, those that can have none are left out.
        #expect(try eaves("interface", "actors", "book-api").output == outcome.output)
    }

    @Test("let a service be used from another process, as the plain protocol that it is")
    func twoProcesses() throws {
        for options in [[], ["--isolate", "book"]] {
            let lender = try LiveEaves(["launch"] + options + ["lend-book"], in: folder.url)
            try lender.wait(for: " lends 1\n")
            let process = try #require(lender.seen.split(separator: " ").first.map(String.init))
            let outcome = try eaves("launch", "use-book")
            #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome)")
            let lines = outcome.lines
            try #require(lines.count == 6, "\(outcome)")
            #expect((lines[0] == "the book of \(process)") == options.isEmpty, "\(outcome)")
            #expect(
                Array(lines[1...]) == [
                    #"["Ann [\"Kyoto\", \"Oslo\"]"]"#,
                    #"["Ann [\"Kyoto\", \"Oslo\"]", "Ann [\"Ghent\", \"Oslo\"]"]"#,
                    "\(lines[0]) greets Ben", "guests come from a place", "1",
                ], "\(outcome)")
            _ = try lender.end(by: SIGKILL)
        }
    }

    @Test("are not made for a protocol that cannot have one")
    func refused() throws {
        let stream = try eaves("interface", "actors", "book-api", "Pages")
        #expect(stream.code == 65 && stream.output.isEmpty)
        #expect(
            stream.errors == """
                error: BookAPI: 'Pages' can have no distributed actor: 'pages()': its result is a stream, \
                and a distributed call has one answer
                fix: change the protocol, or leave it out

                """, "\(stream)")
        try folder.write(
            """
            public protocol Odd: Sendable {
                func now() -> Int
            }
            public protocol Named: Sendable {
                var id: String { get async throws }
            }
            """, to: "Plugins/BookAPI/Odd.swift")
        let odd = try eaves("interface", "actors", "book-api", "Odd", "Named")
        #expect(
            odd.errors.contains(
                "error: Odd.swift:2: 'Odd' can have no distributed actor: 'now()': it is not 'async throws'"
            ), "\(odd)")
        #expect(
            odd.errors.contains(
                "'Named' can have no distributed actor: 'id': each distributed actor has"),
            "\(odd)")
    }

    @Test("need a module that is an interface, and a protocol that it has")
    func wrongOperands() throws {
        #expect(try eaves("interface", "actors").code == 64)
        #expect(try eaves("interface", "actors", "book-api", "--json").code == 64)
        let unknown = try eaves("interface", "actors", "book-api", "Bok")
        #expect(unknown.code == 64)
        #expect(
            unknown.errors.hasPrefix("error: there is no protocol 'Bok', did you mean 'Book'?\n"))
        let feature = try eaves("interface", "actors", "bridge")
        #expect(feature.code != 0 && feature.output.isEmpty, "\(feature)")
    }
}
