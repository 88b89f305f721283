// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTesting
import Testing
import EavesTestSupport

@testable import Users
@testable import UsersV2

@Suite("The modules of users", .onOwnThreads)
struct UsersTests {
    @Test("prints a line for each user")
    func users() async throws {
        let console = ScriptedConsole()
        let status = try await feature().launch(Launch(console: console))
        #expect(status == .success)
        #expect(console.output == "7 Grace\n9 Edsger\n")
    }

    /// The feature in a container of the test's own: without a name Grace and Edsger, Charlie as `v2`.
    private func feature() throws -> UsersFeature {
        let container = try TestContainer()
        container.replace((any UserService).self) { _ in FixedUsers() }
        container.replace((any UserService).self, name: "v2") { _ in SecondUsers() }
        return UsersFeature(container: container)
    }

    @Test("prints those of the source that is named")
    func source() async throws {
        let console = ScriptedConsole()
        _ = try await feature().launch(Launch(arguments: ["--from", "v2"], console: console))
        #expect(console.output == "2 Charlie\n")
        let error = await #expect(throws: ResolutionError.self) {
            _ = try await feature().launch(Launch(arguments: ["--from=v3"], console: console))
        }
        #expect(error?.description == "no source of users is called 'v3'")
    }

    @Test("asks for help to be shown, and does nothing else")
    func help() async throws {
        let console = ScriptedConsole()
        let launch = Launch(
            arguments: ["--help"], feature: "users", summary: "Print all users",
            console: console)
        let help = await #expect(throws: HelpRequest.self) {
            try await feature().launch(launch)
        }
        #expect(
            help?.description.hasPrefix("Print all users\n\nusage: users [OPTION…]\n") == true)
        #expect(console.output == "")
    }

    @Test("takes no arguments")
    func arguments() async throws {
        let launch = Launch(arguments: ["all"], console: ScriptedConsole())
        await #expect(throws: UsageError.self) {
            try await feature().launch(launch)
        }
    }
}
