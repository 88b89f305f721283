// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Synchronization

/// A counter in the guise of users: each look at the list finds one more.
enum CountsLaterModule: Module {
    final class Counter: UserService, StateHandover {
        private let count = Mutex(0)

        func users() async throws -> [User] {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return [User(id: number, name: "call")]
        }

        func snapshot() -> [UInt8] { Array("\(count.withLock { $0 })".utf8) }

        func restore(_ snapshot: [UInt8]) throws {
            guard let number = Int(String(decoding: snapshot, as: UTF8.self)) else {
                throw UsageError("no number")
            }
            count.withLock { $0 = number }
        }
    }

    static func register(in registrar: any Registrar) {
        let counter = Counter()
        registrar.lifecycle(counter)
        registrar.register((any UserService).self, scope: .shared) { _ in counter }
    }
}
