// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// How patient a host is with modules, above all with those that it exchanges while it runs.
public struct LivePolicy: Hashable, Sendable {
    /// The time after which a generation is named that has not drained: calls may still be under way in it.
    /// Nothing is ended.
    public var drainDeadline: Duration
    /// The time that each function of a module's life cycle has, when a new generation takes the place of another
    /// one and when the old one is stopped.
    public var lifecycleLimit: Duration
    /// The time that calls under way in a module that keeps state have to end, while those that begin wait. If they
    /// take longer, the exchange is put off. The work of a process has as long to end before its state goes over to a fresh
    /// one.
    public var gateLimit: Duration
    /// The time that a module's code has to return when it is loaded, and when it registers. A module that takes longer is
    /// refused, and its thread is left to itself. Applies once the host follows the disk, or has caught up with it.
    public var loadLimit: Duration
    /// The pauses before the process of an isolated module is started again that has ended by itself: after its first end
    /// there is none, after the second one the lower bound, and then twice the pause before, up to the upper bound. A
    /// process that has served for a minute begins anew. Nothing is negative.
    public var restartPauses: ClosedRange<Duration>
    /// The time after which a host looks at the calls of what is on probation, again and again.
    var window = Duration.seconds(1)
    /// How long a file may stay the same unfinished one before it is refused.
    var unfinishedLimit = Duration.seconds(1)
    /// How long the sources of modules are not looked at again that a launch has brought up to date.
    package var freshTime = Duration.milliseconds(100)

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - drainDeadline: The time after which a generation is named that has not drained.
    ///   - lifecycleLimit: The time that each function of a module's life cycle has.
    ///   - gateLimit: The time that calls under way have to end before state goes over.
    ///   - loadLimit: The time that a module's code has when it is loaded, and when it registers.
    ///   - restartPauses: The pauses before the process of an isolated module is started again.
    public init(
        drainDeadline: Duration = .seconds(30), lifecycleLimit: Duration = .seconds(10),
        gateLimit: Duration = .seconds(1), loadLimit: Duration = .seconds(10),
        restartPauses: ClosedRange<Duration> = .milliseconds(250) ... .seconds(30)
    ) {
        self.restartPauses = restartPauses
        self.loadLimit = loadLimit
        self.drainDeadline = drainDeadline
        self.lifecycleLimit = lifecycleLimit
        self.gateLimit = gateLimit
    }

    package static let usual = LivePolicy()
}
