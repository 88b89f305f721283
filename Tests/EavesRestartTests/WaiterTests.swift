// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesInterface
import EavesTestSupport
import Synchronization
import Testing

@testable import EavesRestart

@Suite("The process that waits for hosts", .onOwnThreads, .patiently)
struct WaiterTests {
    @Test("is none of a program that has begun threads already")
    func threads() throws {
        let error = try #require(throws: HostError.self) { try Host.begin(as: [.restart]) }
        #expect("\(error)".contains("Device or resource busy"), "\(error)")
    }

    @Test("is missed by name where a fresh process is asked for, and the work goes on")
    func none() async throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        let host = try Host(manifest: folder.file("manifest.json"))
        let (failures, refused) = AsyncStream<HostError>.makeStream()
        let restart = try HotRestart(of: host) { event in
            if case .failed(.request, let error) = event { refused.yield(error) }
        }
        let code = try await restart.run {
            restart.request()
            let error = await failures.first { _ in true }
            #expect(
                error?.problems.map(\.message) == [
                    "no process waits for this one, so that none can take its place"
                ])
            return ExitCode(7)
        }
        #expect(code == ExitCode(7))
    }
}
