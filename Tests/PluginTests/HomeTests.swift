// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

#if DEBUG
    import CommonInterface
    import EavesInterface
    import Testing

    @testable import Home

    @Suite("The home screen")
    struct HomeTests {
        @Test("welcomes the user")
        func welcome() async throws {
            let console = ScriptedConsole()
            let screen = HomeScreens().makeHome(for: User(id: 7, name: "Grace"))
            #expect(try await screen.launch(Launch(console: console)) == .success)
            #expect(console.output == "Welcome home, Grace!\n")
        }
    }
#endif
