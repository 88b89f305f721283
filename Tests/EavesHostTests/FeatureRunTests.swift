// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDiagnostics
import EavesInterface
import EavesManifest
import EavesRegistry
import EavesTestSupport
import Testing

@testable import EavesHost

@Suite("A feature that a host runs", .onOwnThreads)
struct FeatureRunTests {
    private struct Weather: Feature {
        func launch(_ launch: Launch) async throws -> ExitCode {
            _ = try launch.parse(.option("--unit"), .flag("--brief"))
            return .failure
        }
    }

    private let folder: TemporaryFolder
    private let console = KeptConsole()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func host() throws -> Host {
        let host = try folder.host()
        try host.container.register((any Feature).self, name: "weather") { _ in Weather() }
        return host
    }

    @Test("and that is asked for help has it printed, with its name, and succeeds")
    func help() async throws {
        let launch = Launch(arguments: ["--help"], summary: "Tell the weather", console: console)
        #expect(try await host().launch("weather", launch) == .success)
        #expect(
            console.text.hasPrefix("Tell the weather\n\nusage: weather [OPTION…]\n\noptions:\n"))
    }

    @Test(
        "and that does not know an option suggests those that are called like it",
        arguments: [
            ("--units", "unknown option '--units', did you mean '--unit'?"),
            ("--brif=x", "unknown option '--brif', did you mean '--brief'?"),
            ("--hepl", "unknown option '--hepl', did you mean '--help'?"),
            ("-x", "unknown option '-x'"),
        ])
    func nearMatches(word: String, message: String) async throws {
        let error = await #expect(throws: UsageError.self) {
            try await host().launch("weather", Launch(arguments: [word], console: console))
        }
        #expect(error?.description == message)
        #expect(error?.fix == "see the options with '--help'")
    }

    @Test("gets messages to its observer, each with the module whose factory got the logger")
    func loggers() async throws {
        let log = EventLog()
        let host = try folder.host(tellingTo: log)
        try host.container.register((any UserService).self) { resolver in
            try resolver.resolve(Logger.self).info("users")
            return Users(module: "program")
        }
        _ = try host.container.resolve((any UserService).self)
        let quiet = try Host(manifest: folder.manifest(), loggingFrom: .error) { log.add($0) }
        let logger = try quiet.container.resolve(Logger.self)
        logger.warning("no")
        logger.error("yes")
        #expect(log.lines == ["host logged users", "host logged yes"])
    }
}
