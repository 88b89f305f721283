// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Synchronization

/// Users that tell when they start and stop, and features that end in different ways.
enum LivesLongModule: Module {
    struct Failure: Error {}

    final class KeptUsers: UserService, StateHandover {
        private let names = Mutex(["Ursula"])
        private let logger = Mutex<Logger?>(nil)

        func add(_ name: String) { names.withLock { $0.append(name) } }

        func users() async throws -> [User] {
            names.withLock { $0 }.enumerated().map { User(id: $0.offset + 1, name: $0.element) }
        }

        func start(_ resolver: any Resolver) throws {
            let logger = try resolver.resolve(Logger.self)
            logger.warning("started")
            self.logger.withLock { $0 = logger }
        }

        func stop() throws { logger.withLock { $0?.warning("stopped") } }

        func snapshot() -> [UInt8] { Array(names.withLock { $0.joined(separator: "\n") }.utf8) }

        func restore(_ snapshot: [UInt8]) {
            let text = String(decoding: snapshot, as: UTF8.self)
            names.withLock { $0 = text.split(separator: "\n").map(String.init) }
        }
    }

    /// Waits as an asynchronous feature does.
    struct Waiter: Feature {
        func launch(_ launch: Launch) async throws -> ExitCode {
            try launch.console.print("waiting")
            try launch.console.flush()
            do {
                try await Task.sleep(for: .seconds(600))
            } catch {
                try launch.console.print("asked to end")
            }
            return .success
        }
    }

    /// Notices that it is cancelled, and goes on.
    struct Stubborn: Feature {
        func launch(_ launch: Launch) async throws -> ExitCode {
            try launch.console.print("waiting")
            try launch.console.flush()
            let console = launch.console
            return await withTaskCancellationHandler {
                await withUnsafeContinuation { (_: UnsafeContinuation<ExitCode, Never>) in }
            } onCancel: {
                console.warn("going on")
            }
        }
    }

    struct Failing: Feature {
        func launch(_ launch: Launch) async throws -> ExitCode { throw Failure() }
    }

    struct Adding: Feature {
        let users: KeptUsers

        func launch(_ launch: Launch) async throws -> ExitCode {
            launch.arguments.forEach(users.add)
            return .success
        }
    }

    static func register(in registrar: any Registrar) {
        let users = KeptUsers()
        registrar.lifecycle(users)
        registrar.register((any UserService).self, scope: .shared) { _ in users }
        registrar.registerFeature("wait-long") { _ in Waiter() }
        registrar.registerFeature("stubborn") { _ in Stubborn() }
        registrar.registerFeature("fail") { _ in Failing() }
        registrar.registerFeature("add-user") { _ in Adding(users: users) }
    }
}
