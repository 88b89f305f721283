// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Provides users whose factory fails, or whose calls fail or crash, as the setting `fault` says.
enum BadUsersModule: Module {
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    struct Users: UserService {
        let fault: String

        func users() async throws -> [User] {
            if fault == "crash" {
                UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
            }
            throw Fault(description: "the bad users are away")
        }
    }

    static func register(in registrar: any Registrar) throws {
        let fault = try registrar.settings.string("fault") ?? "call"
        registrar.register((any UserService).self) { _ in
            if fault == "factory" { throw Fault(description: "the bad users are not made") }
            return Users(fault: fault)
        }
    }
}
