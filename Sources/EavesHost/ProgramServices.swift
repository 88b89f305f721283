// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesRegistry
import Synchronization

/// The services that the program itself provides to every host of its process, also to the processes that
/// verify modules: the command has them from `EavesCommand.main`.
///
/// Safe from any thread.
package enum ProgramServices {
    private static let provision = Mutex<(@Sendable (ServiceContainer) -> Void)?>(nil)

    /// Lets hosts that are made from now on provide what a function provides.
    package static func provide(_ services: @escaping @Sendable (ServiceContainer) -> Void) {
        provision.withLock { $0 = services }
    }

    /// Provides them in a new container.
    static func provide(in container: Container) {
        provision.withLock { $0 }?(ServiceContainer(container))
    }
}
