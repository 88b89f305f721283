// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Prints the users again whenever they have changed, for `users --watch`.
///
/// It asks for the service at each look, so that it gets another one as soon as the host has one: after a swap,
/// or when the module has been built anew. The host may measure the looks, and judges by them what it has swapped.
struct UsersWatch {
    /// The time between two looks.
    static let pause = Duration.milliseconds(200)

    let resolver: any Resolver
    /// The name of the source in the manifest; `nil` for the usual one.
    let source: String?
    let console: any Console

    /// Watches until the task is cancelled.
    ///
    /// - Throws: The service's error if the first look fails. Errors of later looks are messages, and the users
    ///   are looked at again. `ConsoleError` if the output is closed.
    func run() async throws {
        var shown: [User]?
        var complaint: String?
        while !Task.isCancelled {
            do {
                let found = try await resolver.callAsync((any UserService).self, name: source) {
                    try await $0.users()
                }
                complaint = nil
                if found != shown {
                    try print(found, isFirst: shown == nil)
                    shown = found
                }
            } catch  where shown != nil && !(error is ConsoleError) {
                if Task.isCancelled { return }
                if complaint != "\(error)" { console.warn("\(error)") }
                complaint = "\(error)"
            }
            do { try await Task.sleep(for: Self.pause) } catch { return }
        }
    }

    /// Prints one line for each user. An empty line stands before all lists but the first.
    private func print(_ users: [User], isFirst: Bool) throws(ConsoleError) {
        if !isFirst { try console.print("") }
        if users.isEmpty { try console.print("no users") }
        for user in users { try console.print("\(user.id) \(user.name)") }
        // A person waits for it.
        try console.flush()
    }
}
