// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Foundation

@testable import EndToEndSupport

/// Threads that do something again and again.
final class RepeatingThreads: Sendable {
    private let isOver = Awaited<Bool>()
    private let ended = DispatchGroup()

    /// - Parameters:
    ///   - count: How many threads.
    ///   - work: Is called with the number of its thread, from 0 on. Returns whether to go on.
    init(_ count: Int, _ work: @escaping @Sendable (Int) -> Bool) {
        for number in 0..<count {
            ended.enter()
            Thread.detachNewThread { [isOver, ended] in
                // A pause leaves the processors to what the test waits for.
                while isOver.wait(within: .milliseconds(2)) == nil, work(number) {}
                ended.leave()
            }
        }
    }

    /// Ends the threads, unless they have ended.
    func end() {
        isOver.set(true)
        ended.wait()
    }
}
