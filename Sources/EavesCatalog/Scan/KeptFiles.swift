// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Some of the files that a cache knows.
struct KeptFiles {
    private var isIn: [Bool] = []
    private(set) var count = 0

    mutating func add(_ indices: [Int]) {
        for index in indices where !contains(index) {
            if index >= isIn.count {
                isIn += repeatElement(false, count: index + 1 - isIn.count)
            }
            isIn[index] = true
            count += 1
        }
    }

    /// Whether this file is not to be looked into. What was read anew is not left out: nobody knows
    /// what it provides.
    func leavesOut(_ file: SeenFile) -> Bool {
        guard case .kept(let index) = file else { return false }
        return !contains(index)
    }

    func contains(_ index: Int) -> Bool {
        index < isIn.count && isIn[index]
    }
}
