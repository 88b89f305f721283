// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Real threads, as many as asked for: a pool may have fewer, and would hide what many do.
enum Threads {
    /// Starts one.
    static func start(_ body: @escaping @Sendable () -> Void) {
        Thread(block: body).start()
    }

    /// Runs `body` on `count` threads at once, and waits for all.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            start {
                body(number)
                group.leave()
            }
        }
        group.wait()
    }
}
