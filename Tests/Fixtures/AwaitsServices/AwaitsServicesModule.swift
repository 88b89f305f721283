// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Users from a factory that is awaited, windows from the main actor, and a feature that asks.
enum AwaitsServicesModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerAsync((any UserService).self, scope: .shared) { _ in
            await RemoteUsers.connect()
        }
        registrar.registerOnMainActor((any EventHandler).self, scope: .shared) { _ in Windows() }
        registrar.registerAsync((any Feature).self, name: "visit") { resolver in
            async let users = resolver.resolveAsync((any UserService).self)
            async let windows = resolver.resolveAsync((any EventHandler).self)
            let isSame =
                try await windows as AnyObject
                === resolver.resolveAsync((any EventHandler).self) as AnyObject
            return Visit(
                users: try await users, routing: try resolver.resolve((any Routing).self),
                isSame: isSame)
        }
    }
}

/// Users that take a moment.
struct RemoteUsers: UserService {
    static func connect() async -> RemoteUsers {
        await Task.yield()
        return RemoteUsers()
    }

    func users() async throws -> [User] { [User(id: 1, name: "Rita")] }
}

/// Makes windows, and is made where windows are made.
@MainActor
final class Windows: EventHandler {
    private var count = 0

    init() {
        MainActor.preconditionIsolated()
        count = 1
    }

    nonisolated func handle(_ event: Event) async throws {}

    func open() -> Int {
        count += 1
        return count
    }
}

/// A window that is shown on the main actor.
struct HomeWindow: Feature {
    let user: User
    let windows: Windows

    func launch(_ launch: Launch) async throws -> ExitCode {
        try launch.console.print("window \(await windows.open()) of \(user.name)")
        return .success
    }
}

/// Leads to the window of a user.
struct WindowRoute: Route {
    let user: User

    func feature(from factory: any EventHandler) throws -> any Feature {
        guard let windows = factory as? Windows else { throw ConsoleError("no windows") }
        return HomeWindow(user: user, windows: windows)
    }
}

/// Goes to the window of the first user.
struct Visit: Feature {
    let users: any UserService
    let routing: any Routing
    let isSame: Bool

    func launch(_ launch: Launch) async throws -> ExitCode {
        guard isSame, let user = try await users.users().first else { return .failure }
        return try await routing.open(WindowRoute(user: user), launch)
    }
}
