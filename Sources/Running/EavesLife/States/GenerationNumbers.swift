// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
package import EavesTrust
import Synchronization

/// The numbers of generations, none of which another generation of this store ever had, in any process: the
/// file `generation` in the store has the next free one. A process takes many at once, so that it need not
/// write a file for each swap; those that it does not use are left out.
///
/// Safe from any thread.
package final class GenerationNumbers: Sendable {
    private static let name = "generation"
    /// How many numbers a process takes at once.
    private static let share = 1000

    private let store: Store
    private let free = Mutex(0..<0)

    package init(_ store: Store) {
        self.store = store
    }

    package func next() -> Int {
        free.withLock { free in
            if free.isEmpty {
                let first = (try? take()) ?? Self.unusedByTime
                free = first..<first + Self.share
            }
            return free.removeFirst()
        }
    }

    private func take() throws -> Int {
        let folder = try store.make()
        let taken = { [store] in SystemError(.lock, store.path, .tryAgain) }
        return try FileLock.holding(folder.ownPath, within: .seconds(10), orThrow: taken) {
            let first = try folder.bytes(of: Self.name).map(Self.number) ?? 1
            let text = "\(first + Self.share)\n"
            try folder.replace(Self.name, with: Array(text.utf8), mode: 0o600)
            return first
        }
    }

    /// The number in a file. A damaged file must not lead back to numbers that were used.
    private static func number(in file: [UInt8]) -> Int {
        let text = String(decoding: file, as: UTF8.self)
        guard text.hasSuffix("\n"), let number = Int(text.dropLast()), number > 0 else {
            return unusedByTime
        }
        return number
    }

    /// A number that no counter has reached, for a store without a file to count in: the milliseconds since 1970.
    private static var unusedByTime: Int { Int(WallClock.now / 1_000_000) }
}
