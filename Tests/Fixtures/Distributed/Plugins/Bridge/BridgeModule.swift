// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import BookAPI
import Distributed
import EavesInterface
import Glibc

// 'BookActor' and 'DistributedBook' are in a file that 'eaves interface actors book-api Book' has made.
enum BridgeModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("lend-book") { resolver in
            LendBook(book: try resolver.resolve((any Book).self))
        }
        registrar.registerFeature("use-book") { _ in UseBook() }
    }
}

/// The system of all distributed actors of this module.
typealias DefaultDistributedActorSystem = SocketSystem

/// Puts the book of this host on an actor system, whichever module provides it.
struct LendBook: Feature {
    let book: any Book

    func launch(_ launch: Launch) async throws -> ExitCode {
        let system = SocketSystem()
        let actor = BookActor(book, on: system)
        let place = launch.arguments.first ?? "book.socket"
        let socket = try SocketSystem.listen(at: place)
        try launch.console.write("\(getpid()) lends \(actor.id)\n")
        try launch.console.flush()
        while true {
            let connection = accept(socket, nil, nil)
            if connection >= 0 { system.serve(connection) }
        }
    }
}

/// Uses the book of another host. From the second line on, nothing knows that it is one.
struct UseBook: Feature {
    func launch(_ launch: Launch) async throws -> ExitCode {
        let system = try SocketSystem(connectedTo: launch.arguments.first ?? "book.socket")
        try await use(DistributedBook(BookActor.resolve(id: "1", using: system)), launch.console)
        return .success
    }

    private func use(_ book: any Book, _ console: any Console) async throws {
        try console.write("\(try await book.title)\n")
        for place in ["Kyoto", "Ghent"] {
            let guests = try await book.sign(Guest(name: "Ann", places: ["Oslo": 2]), in: place)
            let words = guests.map {
                "\($0.name) \($0.places.sorted { $0.key < $1.key }.map(\.key))"
            }
            try console.write("\(words)\n")
        }
        try console.write("\(try await book.greeting(to: "Ben"))\n")
        do {
            _ = try await book.sign(Guest(name: "Ben", places: [:]), in: nil)
        } catch {
            try console.write("\(error)\n")
        }
        try await book.clear()
        try console.write(
            "\(try await book.sign(Guest(name: "Cid", places: [:]), in: "Turin").count)\n")
    }
}
