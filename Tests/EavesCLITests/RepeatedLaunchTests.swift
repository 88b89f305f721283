// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesInterface
import Testing

@testable import EavesCLI
@testable import EavesHost

/// A launch that crashes as often as a test wants.
@Suite("RepeatedLaunch")
struct RepeatedLaunchTests {
    private let module = CatalogEntry(id: "server", path: "Plugins/server.so", file: "/server.so")

    private func error(
        _ reason: RemoteCallError.Reason, in id: String = "server"
    ) throws -> HostError {
        let error = RemoteCallError(module: id, reason: reason)
        return HostError(try #require(FeatureError("serve", of: module, error)))
    }

    /// Ends each launch with the next of some errors, and the last one with a code.
    private func run(_ errors: [HostError]) async throws -> (code: ExitCode, launches: Int) {
        var launches = 0
        let code = try await RepeatedLaunch.run {
            launches += 1
            if launches <= errors.count { throw errors[launches - 1] }
            return ExitCode(7)
        }
        return (code, launches)
    }

    @Test("begins again after crashes of the feature's process, up to five within a minute")
    func crashes() async throws {
        let crash = try error(.killed(signal: 11))
        let outcome = try await run(Array(repeating: crash, count: 5))
        #expect(outcome.code == ExitCode(7) && outcome.launches == 6)
        let error = await #expect(throws: HostError.self) {
            try await run(Array(repeating: crash, count: 6))
        }
        #expect(error?.crash == crash.crash)
    }

    @Test("waits for a process that is started again later, however often")
    func pauses() async throws {
        let resting = try error(.resting(.milliseconds(1)))
        #expect(try await run(Array(repeating: resting, count: 20)).launches == 21)
    }

    @Test("ends with all other errors")
    func otherErrors() async throws {
        let others = [
            try error(.stopped), try error(.killed(signal: 11), in: "users"),
            HostError(UsageError("no")),
        ]
        for other in others {
            await #expect(throws: HostError.self) { try await run([other]) }
        }
    }
}
