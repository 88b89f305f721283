// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Features that wait for a line, so that a test can damage files of modules meanwhile.
enum WaitsForLineModule: Module {
    struct Waiter: Feature {
        let resolver: any Resolver
        let worksBefore: Bool

        func launch(_ launch: Launch) async throws -> ExitCode {
            if worksBefore { try await work(launch) }
            try launch.console.print("waiting")
            guard try launch.console.readLine() != nil else { return .failure }
            try await work(launch)
            // Code of this module that nothing has touched yet.
            try launch.console.print(farAway(launch.arguments))
            return .success
        }

        private func work(_ launch: Launch) async throws {
            let users = try await resolver.resolve((any UserService).self).users()
            try launch.console.print(users.map(\.name).joined(separator: ", "))
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("wait") { Waiter(resolver: $0, worksBefore: true) }
        registrar.registerFeature("wait-first") { Waiter(resolver: $0, worksBefore: false) }
    }
}

/// Sorts, pads and joins, on pages of its own.
@inline(never)
func farAway(_ words: [String]) -> String {
    var lengths: [String: Int] = [:]
    for word in words { lengths[word, default: 0] += word.count }
    let sum = lengths.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return "far away: " + sum.joined(separator: " ")
}
