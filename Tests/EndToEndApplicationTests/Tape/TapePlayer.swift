// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import EndToEndSupport

/// Plays the tape in one of the places where the application can be used.
protocol TapePlayer {
    var application: ShippedApplication { get }

    /// Runs a command that shows no screens. Returns what it prints.
    func run(_ arguments: [String]) throws -> String

    /// Does what a session says, and checks what is seen.
    func play(_ session: Tape.Session) throws
}

extension TapePlayer {
    func run(_ arguments: [String]) throws -> String {
        let outcome = try application.eaves(arguments)
        #expect(outcome.code == 0, "\(outcome)")
        return outcome.output + outcome.errors
    }

    /// Plays all sessions with each of the user services, which are exchanged between.
    func play() throws {
        var former = Tape.services[0].module
        for users in Tape.services {
            if users.module != former {
                let output = try run(["swap", "UserService", users.module])
                #expect(output.contains("UserService: \(former) → \(users.module)"))
                former = users.module
                // The place of before belongs to a user whom these users do not have.
                try FileManager.default.removeItem(
                    at: application.url.appendingPathComponent("navigation.json"))
            }
            for session in Tape.sessions(users) { try play(session) }
        }
    }
}
