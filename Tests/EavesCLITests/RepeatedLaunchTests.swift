// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesInterface
import EavesLife
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
    ///
    /// - Parameter pause: The time from one crash to the next.
    private func run(
        _ errors: [HostError], every pause: Duration = .zero
    ) async throws -> (code: ExitCode, launches: Int, warnings: [String]) {
        var (launches, now) = (0, ContinuousClock.now)
        var warnings: [String] = []
        let code = try await RepeatedLaunch.run {
            warnings.append($0.message)
        } _: {
            launches += 1
            if launches <= errors.count { throw errors[launches - 1] }
            return ExitCode(7)
        } at: {
            now += pause
            return now
        }
        return (code, launches, warnings)
    }

    @Test("begins again after crashes of the feature's process, up to five within a minute")
    func crashes() async throws {
        let crash = try error(.killed(signal: 11))
        let outcome = try await run(Array(repeating: crash, count: 5))
        #expect(outcome.code == ExitCode(7) && outcome.launches == 6)
        #expect(
            outcome.warnings
                == Array(
                    repeating: "server: feature 'serve' failed: the process of module 'server' was "
                        + "ended by SIGSEGV (Plugins/server.so); it is launched again", count: 5))
        let error = await #expect(throws: HostError.self) {
            try await run(Array(repeating: crash, count: 6))
        }
        #expect(error?.crash == crash.crash)
        let seldom = try await run(Array(repeating: crash, count: 20), every: .seconds(12))
        #expect(seldom.launches == 21)
    }

    @Test("waits for a process that is started again later, however often")
    func pauses() async throws {
        let resting = try error(.resting(.milliseconds(1), after: "it was ended"))
        let outcome = try await run(Array(repeating: resting, count: 20))
        #expect(outcome.launches == 21 && outcome.warnings.isEmpty)
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
