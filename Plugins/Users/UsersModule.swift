// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides the list of all users: as a screen, and as a feature that prints it. Both can ask a source of users
/// by the name that the manifest binds it to.
enum UsersModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any UsersFactory).self) { UsersScreens(resolver: $0) }
        registrar.register((any UsersViewModelInterface).self) { (_, choice: UserChoice) in
            UsersViewModel(choice: choice)
        }
        registrar.registerDestination(
            "users", [.optional("from")], needs: [.later((any UsersFactory).self)]
        ) { link, router in
            try router.container.resolve((any UsersFactory).self)
                .makeUsers(from: link.text("from"), router: router, picked: nil)
        }
        registrar.registerFeature("users", needs: [.later((any UserService).self)]) {
            UsersFeature(container: $0)
        }
    }
}

/// Creates lists of all users.
struct UsersScreens: UsersFactory {
    let resolver: any Resolver

    func makeUsers(
        from source: String?, router: ScreenRouter, picked: (@Sendable (User) async -> Void)?
    ) throws -> any UsersViewModelInterface {
        do throws(ResolutionError) {
            return try resolver.resolve(
                (any UsersViewModelInterface).self,
                arguments: UserChoice(source: source, routes: router, picked: picked))
        } catch {
            throw error.about(source: source)
        }
    }
}

/// Prints one line for each user, with id and name.
struct UsersFeature: Feature {
    let container: any Resolver

    func launch(_ launch: Launch) async throws -> ExitCode {
        let (source, watches) = try launch.parse(
            .option(
                "--from", value: "NAME",
                help: "ask the source that has this name in the manifest"),
            .flag("--watch", help: "print them again whenever they change, until Ctrl-C"))
        if watches {
            // A name that is wrong is an error at once.
            _ = try users(from: source)
            try await UsersWatch(resolver: container, source: source, console: launch.console).run()
            return .success
        }
        for user in try await users(from: source).users() {
            try launch.console.print("\(user.id) \(user.name)")
        }
        return .success
    }

    private func users(from source: String?) throws -> any UserService {
        do throws(ResolutionError) {
            return try container.resolve((any UserService).self, name: source)
        } catch {
            throw error.about(source: source)
        }
    }
}

extension ResolutionError {
    /// The same error in words for the person, if no source of users has the name.
    fileprivate func about(source: String?) -> ResolutionError {
        guard let source, wanted == ServiceRequest((any UserService).self, name: source) else {
            return self
        }
        return reworded("no source of users is called '\(source)'")
    }
}
