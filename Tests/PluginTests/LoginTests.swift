// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTesting
import LoginInterface
import Testing
import EavesTestSupport

@testable import Login

@Suite("The login", .onOwnThreads)
struct LoginTests {
    /// The ways out of the login, and no others.
    private struct Routes: LoginViewModel.Routes {
        let kept: Kept

        func openHome(for user: User) async throws { kept.keep("home of \(user.name)") }
        func openRegister(name: String) async throws { kept.keep("register \(name)") }
    }

    private struct Events: LoginEventHandler {
        let kept: Kept

        func handle(_ event: LoginEvent) async { kept.keep("\(event)") }
    }

    private let kept = Kept()

    private func model(name: String = "") async throws -> LoginViewModel {
        let users = MockUsers()
        _ = try await users.register(name: "Grace", password: "secret")
        return LoginViewModel(
            name: name, users: users, events: Events(kept: kept), routes: Routes(kept: kept))
    }

    @Test("shows the name that it was opened with, and hides the password")
    func screen() async throws {
        let screen = try await model(name: "Grace").screen()
        #expect(screen.fields.map(\.value) == ["Grace", ""])
        #expect(screen.fields.map(\.isSecret) == [false, true])
        #expect(screen.actionTitles == ["Log in", "Register"])
    }

    @Test("tells of the login, and opens the home screen")
    func succeeds() async throws {
        let form = Form(["name": "Grace", "password": "secret"])
        try await model().handle(ScreenInput(.action("log-in"), form))
        #expect(kept.all == [#"succeeded(name: "Grace")"#, "home of Grace"])
    }

    @Test(
        "tells of a refused login, opens nothing, and does not say which of the two was wrong")
    func refused() async throws {
        for form in [
            ["name": "Grace", "password": "x"], ["name": "Ada", "password": "secret"],
        ] {
            let error = await #expect(throws: UserServiceError.self) {
                try await model().handle(ScreenInput(.action("log-in"), Form(form)))
            }
            #expect(error == .wrongPassword)
        }
        #expect(kept.all == [#"refused(name: "Grace")"#, #"refused(name: "Ada")"#])
    }

    @Test("takes the name along to the screen on which people register")
    func register() async throws {
        let form = Form(["name": "Ada"])
        try await model().handle(ScreenInput(.action("register"), form))
        #expect(kept.all == ["register Ada"])
    }

    @Test("its factory gets the services of the container")
    func factory() async throws {
        let users = MockUsers()
        _ = try await users.register(name: "Ada", password: "secret")
        let container = try TestContainer()
        container.replace((any UserService).self) { _ in users }
        container.replace((any LoginEventHandler).self) { [kept] _ in Events(kept: kept) }
        try container.load(LoginModule.self)
        let router = ScreenRouter(
            container: container, navigation: NoNavigation(), screen: ScreenID(1))
        let login = try container.resolve((any LoginFactory).self)
            .makeLogin(name: "Ada", router: router)
        #expect(await login.screen().fields.first?.value == "Ada")
        let error = await #expect(throws: UserServiceError.self) {
            try await login.logIn(name: "Ada", password: "x")
        }
        #expect(error == .wrongPassword)
        #expect(kept.all == [#"refused(name: "Ada")"#])
    }
}
