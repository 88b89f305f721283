// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Synchronization

/// A counter in the guise of users: each look at the list finds one more.
enum CountsLaterModule: Module {
    static let build = 1

    final class Counter: UserService, StateHandover {
        /// The count, and a number that only objects have which go on with the same count.
        private let state = Mutex((count: 0, origin: Int.random(in: 1 ... .max)))

        /// A user whose id is the count, and whose name is the build and the origin.
        func users() async throws -> [User] {
            let (number, origin) = state.withLock { state in
                state.count += 1
                return state
            }
            return [User(id: number, name: "\(build) \(origin)")]
        }

        func snapshot() -> [UInt8] {
            Array(state.withLock { "\($0.count) \($0.origin)" }.utf8)
        }

        func restore(_ snapshot: [UInt8]) throws {
            let numbers = String(decoding: snapshot, as: UTF8.self).split(separator: " ")
                .compactMap { Int($0) }
            guard numbers.count == 2 else { throw UsageError("no numbers") }
            state.withLock { $0 = (numbers[0], numbers[1]) }
        }
    }

    static func register(in registrar: any Registrar) {
        let counter = Counter()
        registrar.lifecycle(counter)
        registrar.register((any UserService).self, scope: .shared) { _ in counter }
    }
}
