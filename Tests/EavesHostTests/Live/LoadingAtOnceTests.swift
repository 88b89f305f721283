// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesHost

@Suite("Modules that several threads load while their files change", .onOwnThreads, .patiently)
struct LoadingAtOnceTests {
    private static let count = 12
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Drops a file of a module, whose start needs the next module.
    private func drop(_ index: Int, version: Int) throws {
        let name = "f\(index)"
        try folder.drop(.sample("m\(index)", features: [name])) { registrar in
            if index % 3 > 0, index + 1 < Self.count {
                registrar.lifecycle(
                    Starting { _ = try $0.resolve((any Feature).self, name: "f\(index + 1)") })
            }
            registrar.registerFeature(name) { _ in Numbered(number: version) }
        }
    }

    /// The versions that serve now.
    private func versions(_ host: Host) throws -> [Int] {
        try (0..<Self.count).map { index in
            let feature = try host.resolve((any Feature).self, name: "f\(index)")
            return (feature as? Numbered)?.number ?? 0
        }
    }

    /// Asks for each module, in any order.
    private static func useAll(of host: Host) throws {
        for index in (0..<count).shuffled() {
            _ = try host.resolve((any Feature).self, name: "f\(index)")
        }
    }

    @Test("are all had by each thread, and serve with their last files in the end")
    func atOnce() throws {
        for index in 0..<Self.count { try drop(index, version: 1) }
        let host = try folder.host()
        let changes = try host.followedChanges()
        let outcomes = (0..<4).map { _ in Awaited<String>() }
        for outcome in outcomes {
            try DetachedThread.start {
                outcome.set("\(Result { try Self.useAll(of: host) })")
            }
        }
        for version in 2...4 {
            for index in (0..<Self.count).shuffled() { try drop(index, version: version) }
        }
        for outcome in outcomes {
            #expect(outcome.wait(within: Patience.limit) == "success()")
        }
        try Patience.wait(for: "the last files") {
            try versions(host).allSatisfy { $0 == 4 }
        }
        let serving = host.generations.filter { $0.state == .serving }.map(\.module)
        #expect(Set(serving).count == Self.count && serving.count == Self.count, "\(serving)")
        #expect(host.live.standing.obstacles.isEmpty)
        #expect(host.stop())
        withExtendedLifetime(changes) {}
    }
}

private struct Numbered: Feature {
    let number: Int

    func launch(_ launch: Launch) async throws -> ExitCode { .success }
}

private struct Starting: Lifecycle {
    let body: @Sendable (any Resolver) throws -> Void

    func start(_ resolver: any Resolver) throws { try body(resolver) }
}
