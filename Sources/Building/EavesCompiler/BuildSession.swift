// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Synchronization

/// The memory of a process that builds again and again, such as `eaves build --watch`: what it need not find
/// out anew for each build.
///
/// Everything in it is kept with what it depends on. Any thread may use it.
package final class BuildSession: Sendable {
    private struct Memory {
        /// The last plan of each output.
        var plans: [String: KnownPlan] = [:]
    }

    private let memory = Mutex(Memory())

    package init() {}

    /// Returns the known jobs of a command line that writes an output.
    package func plan(of command: DriverCommand, for output: String) -> KnownPlan? {
        memory.withLock { memory in
            memory.plans[output].flatMap { $0.command == command ? $0 : nil }
        }
    }

    /// The known plans, by the name of the output.
    var plans: [String: KnownPlan] { memory.withLock(\.plans) }

    package func keep(_ plan: KnownPlan, for output: String) {
        memory.withLock { $0.plans[output] = plan }
    }

    /// Notes that the jobs of a plan failed where the driver itself did not. After a few times, the driver is
    /// left to do it.
    package func noteFailure(of command: DriverCommand, for output: String) {
        memory.withLock { memory in
            guard var known = memory.plans[output], known.command == command else { return }
            known.failureCount += 1
            known.linker = nil
            if known.failureCount >= Self.maximumFailures { known.plan = nil }
            memory.plans[output] = known
        }
    }

    package func noteSuccess(of command: DriverCommand, for output: String) {
        memory.withLock { memory in
            if memory.plans[output]?.command == command {
                memory.plans[output]?.failureCount = 0
            }
        }
    }

    /// A source that is mended between the two gives one failure, too.
    private static let maximumFailures = 3
}

/// The jobs of one command line, as a session knows them.
package struct KnownPlan: Sendable {
    let command: DriverCommand
    /// `nil` if only the driver knows how to run its jobs.
    package var plan: DriverPlan?
    package var linker: LinkerCommand?
    /// Whether the compiler of C prints a command line of the linker that can be used.
    package var hasLinker = true
    var failureCount = 0

    package init(command: DriverCommand, plan: DriverPlan?) {
        self.command = command
        self.plan = plan
    }
}
