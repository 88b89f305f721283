// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesRegistry

extension Host {
    /// Every mistake in how the manifest and its modules fit together: all features at once.
    ///
    /// Compares what the modules say of themselves, which runs no code of theirs.
    ///
    /// - Parameter isLoading: Whether to load them too, which runs what registers, and to check what
    ///   they register: see ``Container/validate(providing:)``.
    /// - Returns: In an order that is the same for the same modules.
    package func validate(loading isLoading: Bool = false) throws -> [HostProblem] {
        let problems = supply.validate()
        guard isLoading else { return problems }
        let failures = try supply.loadAll(into: container)
        let registered = container.validate { [supply] request in supply.canProvide(Need(request)) }
        return problems + failures.map(HostProblem.loading)
            + registered.map(HostProblem.registration)
    }
}
