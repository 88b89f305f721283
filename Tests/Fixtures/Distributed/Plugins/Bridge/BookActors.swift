// Made by 'eaves interface actors' from BookAPI. When the interface has grown, make it again.
// The module says which actor system it uses: 'typealias DefaultDistributedActorSystem = …'.
// swift-format-ignore-file

import Distributed
import BookAPI

/// Lets others call `Book`, through an actor system.
distributed actor BookActor {
    private let service: any BookAPI.Book

    init(_ service: any BookAPI.Book, on actorSystem: ActorSystem) {
        self.actorSystem = actorSystem
        self.service = service
    }

    distributed func sign(_ _0: BookAPI.Guest, in _1: Swift.String?) async throws -> [BookAPI.Guest] {
        try await service.sign(_0, in: _1)
    }

    distributed func clear() async throws {
        try await service.clear()
    }

    distributed var title: Swift.String {
        get async throws { try await service.title }
    }

    distributed func greeting(to _0: Swift.String) async throws -> Swift.String {
        try await service.greeting(to: _0)
    }
}

/// `Book`, whose calls go to an actor, which may be on another machine.
struct DistributedBook: BookAPI.Book {
    let actor: BookActor

    init(_ actor: BookActor) { self.actor = actor }

    func sign(_ _0: BookAPI.Guest, in _1: Swift.String?) async throws -> [BookAPI.Guest] {
        try await actor.sign(_0, in: _1)
    }

    func clear() async throws {
        try await actor.clear()
    }

    var title: Swift.String {
        get async throws { try await actor.title }
    }

    func greeting(to _0: Swift.String) async throws -> Swift.String {
        try await actor.greeting(to: _0)
    }
}
