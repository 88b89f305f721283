// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides the screen with a message: its factory, the destination of links, and a feature.
enum PopUpModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any PopUpFactory).self) { _ in PopUpScreens() }
        registrar.registerDestination(
            "popup", [.required("message")], needs: [.later((any PopUpFactory).self)]
        ) { link, router in
            try router.container.resolve((any PopUpFactory).self)
                .makePopUp(message: link.text("message") ?? "", router: router)
        }
        registrar.registerFeature("popup", needs: [.later((any Navigator).self)]) { resolver in
            ScreenFeature(resolver) { launch in
                let message = try launch.parse(
                    .option("--message", value: "TEXT", help: "the text that is shown"))
                guard let message else {
                    throw UsageError(
                        "the option '--message' is missing", fix: "write '--message TEXT'")
                }
                return [Link("popup", ["message": message])]
            }
        }
    }
}

/// Creates screens with a message.
struct PopUpScreens: PopUpFactory {
    func makePopUp(message: String, router: ScreenRouter) -> any PopUpViewModelInterface {
        PopUpViewModel(message: message, route: router)
    }
}

/// Shows a message until the person confirms it.
final class PopUpViewModel: PopUpViewModelInterface {
    let message: String
    private let route: any CloseRoute

    init(message: String, route: any CloseRoute) {
        self.message = message
        self.route = route
    }

    func screen() async -> Screen {
        Screen("Message", [.text(message)], actions: [Screen.Action("ok", "OK")])
    }

    func handle(_ input: ScreenInput) async throws {
        await route.close()
    }
}
