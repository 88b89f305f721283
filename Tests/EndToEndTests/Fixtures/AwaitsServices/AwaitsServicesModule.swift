// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Users from a factory that is awaited, a home screen from the main actor, and features that ask.
enum AwaitsServicesModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerAsync((any UserService).self, scope: .shared) { _ in
            await RemoteUsers.connect()
        }
        registrar.registerOnMainActor((any HomeFactory).self, scope: .shared) { _ in HomeWindows() }
        registrar.registerAsync((any Feature).self, name: "visit") { resolver in
            async let users = resolver.resolveAsync((any UserService).self)
            async let homes = resolver.resolveAsync((any HomeFactory).self)
            let isSame =
                try await homes as AnyObject
                === resolver.resolveAsync((any HomeFactory).self) as AnyObject
            return Visit(
                users: try await users, routing: try resolver.resolve((any Routing).self),
                isSame: isSame)
        }
        registrar.registerFeature("hurry") { resolver in
            Visit(
                users: try resolver.resolve((any UserService).self),
                routing: try resolver.resolve((any Routing).self), isSame: false)
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

/// Makes screens, and is made where screens are made.
@MainActor
final class HomeWindows: HomeFactory {
    private var count = 0

    init() {
        MainActor.preconditionIsolated()
        count = 1
    }

    nonisolated func makeHome(
        for user: User.ID?, router: ScreenRouter
    ) throws -> any HomeViewModelInterface {
        throw ConsoleError("windows are no screens")
    }

    func open() -> Int {
        count += 1
        return count
    }
}

/// A screen that is shown on the main actor.
struct HomeWindow: Feature {
    let user: User
    let windows: HomeWindows

    func launch(_ launch: Launch) async throws -> ExitCode {
        try launch.console.print("window \(await windows.open()) of \(user.name)")
        return .success
    }
}

/// Leads to the window of a user.
struct WindowRoute: Route {
    let user: User

    func feature(from factory: any HomeFactory) throws -> any Feature {
        guard let windows = factory as? HomeWindows else { throw ConsoleError("no windows") }
        return HomeWindow(user: user, windows: windows)
    }
}

/// Goes to the home screen of the first user.
struct Visit: Feature {
    let users: any UserService
    let routing: any Routing
    let isSame: Bool

    func launch(_ launch: Launch) async throws -> ExitCode {
        guard isSame, let user = try await users.users().first else { return .failure }
        return try await routing.open(WindowRoute(user: user), launch)
    }
}
