// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface
public import EavesLife
import EavesManifest
package import EavesModules

extension Host {
    /// The choices of a program for a host.
    public struct Configuration: Sendable {
        /// The values of keys by which bindings of the manifest choose, such as `["environment": "staging"]`, for the
        /// whole host.
        public var values: [String: String] = [:]
        /// The modules that take the place of what the manifest binds, by service, such as
        /// `["UserService": "users-v2"]`. They are written nowhere.
        public var bindings: [String: String] = [:]
        /// The means to run modules in processes of their own; `nil` for a program that isolates none.
        public var isolation: Isolation?
        /// The ids of modules that run in processes of their own, besides those that the manifest isolates.
        public var isolated: [String] = []
        /// Whether isolated modules also run where the system cannot take all other rights from their processes. The
        /// observer is warned of each right then.
        public var allowsUnenforced = false
        /// Whether a module that makes the process crash is noted, so that it is kept out after three times. This
        /// installs handlers of signals for the whole process; only the first host of a process does.
        public var recordsCrashes = false
        /// The patience of the host with modules that it exchanges while it runs.
        public var policy = LivePolicy()
        /// The lowest level of what modules log that the observer is told of.
        public var logLevel = LogLevel.warning
        /// A function that is told of the host's work, from the beginning, on the thread that does it, which waits for
        /// it. It may ask the host for anything except the module that the event is about.
        public var observer: (@Sendable (HostEvent) -> Void)?

        /// Creates a configuration with the defaults.
        public init() {}
    }
}

extension Host.Configuration {
    /// The choices that the manifest takes.
    var choices: BindingChoices {
        var choices = BindingChoices(
            by: values,
            with: bindings.sorted { $0.key < $1.key }.map {
                BindingChoices.Demand(BindingKey(text: $0.key), $0.value)
            })
        choices.isolated = isolated
        choices.allowsUnenforced = allowsUnenforced
        return choices
    }
}

extension Host {
    /// The means by which a host runs modules in processes of their own.
    ///
    /// The product `EavesIsolation` has them, as `.processes`: a program that isolates no module does not compile them.
    public struct Isolation: Sendable {
        /// A function that creates the isolation of one host.
        package let make: @Sendable () throws -> any ModuleIsolation

        package init(_ make: @escaping @Sendable () throws -> any ModuleIsolation) {
            self.make = make
        }
    }
}
