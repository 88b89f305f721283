// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc

/// The number of processes of a worker: its own, and those of the programs that it has started, which cannot leave its process
/// group. The guard is in that, too, and does not count. A value of the broker's thread.
struct ProcessCount {
    private let group: Int32
    let limit: Int
    /// There are no more than these. Those that have ended are taken off when the limit is reached.
    private var most = 1

    /// A process that was allowed a moment ago may not be there yet.
    private static let patience: UInt32 = 20_000

    init(of group: Int32, limit: Int) {
        self.group = group
        self.limit = limit
    }

    /// Counts one more.
    ///
    /// - Returns: `false` if there would be too many.
    mutating func add() -> Bool {
        if most >= limit {
            usleep(Self.patience)
            most = members
        }
        guard most < limit else { return false }
        most += 1
        return true
    }

    /// The processes of the group now. One that has ended counts until its parent has asked for it: it takes a number.
    private var members: Int {
        guard let all = try? Folder("/proc").entries else { return limit }
        let guards = 1
        return all.count { entry in
            Int32(entry.name).map { getpgid($0) == group } ?? false
        } - guards
    }
}
