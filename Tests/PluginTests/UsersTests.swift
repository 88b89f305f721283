// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

#if DEBUG
    import EavesInterface
    import Testing

    @testable import Users
    @testable import UsersMemory
    @testable import UsersV2

    @Suite("The modules of users")
    struct UsersTests {
        @Test("prints a line for each user")
        func users() async throws {
            let console = ScriptedConsole()
            let status = try await UsersFeature(users: FixedUsers()).launch(
                Launch(console: console))
            #expect(status == .success)
            #expect(console.output == "7 Grace\n9 Edsger\n")
        }

        @Test("asks for help to be shown, and does nothing else")
        func help() async throws {
            let console = ScriptedConsole()
            let launch = Launch(
                arguments: ["--help"], feature: "users", summary: "Print all users",
                console: console)
            let help = await #expect(throws: HelpRequest.self) {
                try await UsersFeature(users: FixedUsers()).launch(launch)
            }
            #expect(
                help?.description.hasPrefix("Print all users\n\nusage: users [OPTION…]\n") == true)
            #expect(console.output == "")
        }

        @Test("takes no arguments")
        func arguments() async throws {
            let launch = Launch(arguments: ["all"], console: ScriptedConsole())
            await #expect(throws: UsageError.self) {
                try await UsersFeature(users: FixedUsers()).launch(launch)
            }
        }

        @Test("finds a user by name, and none by an unknown name")
        func named() async throws {
            let users = UsersInMemory()
            #expect(try await users.user(named: "Bob") == User(id: 2, name: "Bob"))
            #expect(try await users.user(named: "Charlie") == nil)
            #expect(try await SecondUsers().users() == [User(id: 2, name: "Charlie")])
        }
    }
#endif
