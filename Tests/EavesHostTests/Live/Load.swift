// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Dispatch
import EavesInterface
import EavesSystem
import Synchronization

@testable import EavesHost

/// Two threads that ask a host for its users again and again, each in another way, and call them.
///
/// They rest now and then unless they are the only test that runs: a test may have to wait for minutes until
/// it is its turn, and others need the processors meanwhile.
final class Load: Sendable {
    struct Outcome: Sendable {
        var count = 0
        /// How often a later generation was followed by an earlier one.
        var stale = 0
        /// The errors, each once.
        var failures: Set<String> = []
    }

    private let isOver = Awaited<Bool>()
    private let outcome = Mutex(Outcome())
    private let group = DispatchGroup()

    /// - Parameter rests: Whether the threads leave most of the time to others.
    init(_ host: Host, resting rests: Bool = true) {
        for number in 0..<2 {
            DispatchQueue(label: "load \(number)").async(group: group) { [self] in
                run(host, usesHandle: number == 1, resting: rests)
            }
        }
    }

    /// Stops the threads.
    func end() -> Outcome {
        isOver.set(true)
        group.wait()
        return outcome.withLock { $0 }
    }

    private func run(_ host: Host, usesHandle: Bool, resting rests: Bool) {
        var own = Outcome()
        var last = 0
        func take(_ users: any UserService) {
            own.count += 1
            guard let number = (users as? KeptUsers).flatMap({ Int($0.words) }) else { return }
            if number < last { own.stale += 1 }
            last = number
        }
        do {
            var handle = try host.services.resolver.handle((any UserService).self)
            while true {
                // A thread rests while it waits for its end, which does not come before its first call.
                if own.count > 0, own.count % (rests ? 8 : 64) == 0,
                    isOver.wait(within: rests ? .milliseconds(10) : .zero) == true
                {
                    break
                }
                if usesHandle {
                    try handle.borrow(take)
                } else {
                    take(try host.resolve((any UserService).self))
                }
            }
        } catch {
            own.failures.insert("\(error)")
        }
        outcome.withLock { outcome in
            outcome.count += own.count
            outcome.stale += own.stale
            outcome.failures.formUnion(own.failures)
        }
    }
}
