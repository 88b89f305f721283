// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Two services, each of which needs the other before it is there.
enum CircularNeedsModule: Module {
    struct Users: UserService {
        let events: any EventHandler

        func users() async throws -> [User] { [] }
    }

    struct Events: EventHandler {
        let users: any UserService

        func handle(_ event: Event) async throws {}
    }

    struct Circle: Feature {
        let users: any UserService

        func launch(_ launch: Launch) async throws -> ExitCode { .success }
    }

    static func register(in registrar: any Registrar) {
        registrar.register((any UserService).self, scope: .shared) {
            Users(events: try $0.resolve((any EventHandler).self))
        }
        registrar.register((any EventHandler).self) {
            Events(users: try $0.resolve((any UserService).self))
        }
        registrar.registerFeature("circle") {
            Circle(users: try $0.resolve((any UserService).self))
        }
    }
}
