// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension Container {
    /// The id of the module whose factory asks for the service that the calling factory creates; `nil` if
    /// the program itself asks, or no factory.
    ///
    /// A factory calls this for a service that differs from module to module. Its scope has to be
    /// transient: an instance that is kept would be given to others.
    package static var askingModule: String? {
        let context = ThreadContext.current
        let running = context.running
        guard let own = running.last else { return nil }
        // To users, a decorated service and the service that decorates it are one.
        let asking = running.last { $0.request != own.request }
        return asking.map(\.module) ?? TaskContext.frame?.registration?.module
    }
}
