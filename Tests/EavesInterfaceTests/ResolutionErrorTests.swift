// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Testing

@Suite("the words of a resolution error")
struct ResolutionErrorTests {
    private static let users = ServiceRequest((any UserService).self)

    @Test(
        "say why the service cannot be resolved",
        arguments: [
            (ResolutionError.Reason.notRegistered, "no provider for UserService"),
            (.cycle, "UserService is needed to create itself"),
            (.factoryFailed(Broken()), "cannot create UserService: it is broken"),
            (.moduleFailed(Broken()), "cannot load the provider of UserService: it is broken"),
            (.needsAwait, "UserService has to be awaited: ask for it with 'resolveAsync'"),
            (
                .needsMainActor,
                "UserService is created on the main actor: ask for it with 'resolveAsync', or "
                    + "there with 'resolveOnMainActor'"
            ),
            (.cancelled, "the task that asked for UserService was cancelled"),
            (.containerGone, "cannot create UserService: its container is gone"),
        ])
    func reasons(reason: ResolutionError.Reason, words: String) {
        #expect(ResolutionError(reason, wanted: Self.users).description == words)
    }

    @Test("show the chain from the outermost request to the one that failed, and similar services")
    func chain() {
        let login = ServiceRequest((any Feature).self, name: "login")
        let factory = ServiceRequest((any LoginFactory).self)
        let error = ResolutionError(
            .notRegistered, wanted: Self.users, chain: [login, factory],
            candidates: ["UserService named 'a'", "UserService named 'b'"])
        #expect(
            error.description == """
                no provider for UserService
                  needed by: feature 'login' → LoginFactory → UserService
                  registered: UserService named 'a'
                  registered: UserService named 'b'
                """)
    }

    @Test("are replaced by those of an application only for a name that nothing has")
    func reworded() {
        let named = ServiceRequest((any UserService).self, name: "v3")
        let error = ResolutionError(.notRegistered, wanted: named, candidates: ["UserService"])
        #expect(
            error.reworded("no source is called 'v3'").description == "no source is called 'v3'")
        for other in [
            ResolutionError(.notRegistered, wanted: Self.users),
            ResolutionError(.moduleFailed(Broken()), wanted: named),
            ResolutionError(.cycle, wanted: named),
        ] {
            #expect(other.reworded("no source").description == other.description)
        }
    }
}
