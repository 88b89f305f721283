// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesLife
public import EavesModules

extension Host {
    /// A role of a process that a host of the program has started: the program itself, started again.
    ///
    /// The products that start such processes have them: `.worker` of `EavesIsolation`, `.judge` of `EavesVerify`, and
    /// `.restart` of `EavesRestart`.
    public struct Role: Sendable {
        /// Whether this process goes on in a child, if it has no other role.
        let goesOn: Bool
        /// A function that takes the role if this process was started for it, and does not return then.
        package let take: @Sendable () throws(HostError) -> Void

        package init(
            goesOnInChild goesOn: Bool = false,
            _ take: @escaping @Sendable () throws(HostError) -> Void
        ) {
            self.goesOn = goesOn
            self.take = take
        }
    }

    /// Begins a program: makes its interfaces and services known to all of its hosts, and takes the role for which a
    /// host has started this process. Then it does not return.
    ///
    /// A program calls this first in its `main`, on the main thread, before it starts a thread.
    ///
    /// ```swift
    /// try Host.begin(as: [.worker, .judge], interfaces: interfaces)
    /// ```
    ///
    /// - Parameters:
    ///   - roles: The roles that the hosts of the program need.
    ///   - interfaces: The interface modules that are linked into the program. They belong to the process: every host
    ///     of it knows them from then on.
    ///   - services: A function that provides the program's own services. Called for each host, and in the processes that verify
    ///     modules; `nil` if there are none.
    /// - Throws: ``HostError`` if an interface has no proper version, or a role cannot be taken.
    public static func begin(
        as roles: [Role] = [], interfaces: [LinkedInterface] = [],
        providing services: (@Sendable (ServiceContainer) -> Void)? = nil
    ) throws(HostError) {
        try HostError.wrapping { try LinkedInterfaces.declare(interfaces) }
        if let services { ProgramServices.provide(services) }
        for role in roles where !role.goesOn { try role.take() }
        for role in roles where role.goesOn { try role.take() }
    }
}
