// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Modules that share the calls of a service, and the counter that decides whose turn it is.
///
/// The counter is exact, from any thread: of the first `n` calls, a module with the share `s` gets at most `n · s`,
/// rounded up, evenly spread. What is not for one of the others is for the stable one.
package final class CallShares: Sendable {
    /// A module, and its part of the calls.
    package struct Arm: Sendable {
        /// The id of the module.
        package let module: String
        package let weight: Int
        package let account: CallAccount

        package init(_ module: String, weight: Int, _ account: CallAccount = CallAccount()) {
            self.module = module
            self.weight = weight
            self.account = account
        }
    }

    /// The module for all calls that are for no other one, and for those at which another one fails.
    package let stable: Arm
    /// The others.
    package let canaries: [Arm]
    private let total: UInt64
    private let calls = Atomic<UInt64>(0)

    /// - Precondition: The weights are not negative, and their sum is positive.
    package init(stable: Arm, canaries: [Arm]) {
        self.stable = stable
        self.canaries = canaries
        total = UInt64(canaries.reduce(stable.weight) { $0 + $1.weight })
        precondition(total > 0, "one module has to answer")
    }

    /// The modules, the stable one first.
    package var arms: [Arm] { [stable] + canaries }

    /// The module whose turn it is, and those that answer if it fails, the stable one first.
    func drawTurn() -> [Arm] {
        let arm = draw()
        return [arm] + arms.filter { $0.module != arm.module }
    }

    /// The module whose turn it is.
    func draw() -> Arm {
        let place = calls.add(1, ordering: .relaxed).oldValue % total
        return canaries.first { arm in
            let weight = UInt64(arm.weight)
            // One of each `total / weight` numbers is a multiple that passes the total.
            return place.multipliedReportingOverflow(by: weight).partialValue % total < weight
        } ?? stable
    }
}

extension Registration {
    /// The modules that share the calls of this registration's service, if they do.
    var shares: CallShares? { traits.shares }
}
