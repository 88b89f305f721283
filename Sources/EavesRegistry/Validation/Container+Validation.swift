// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

extension Container {
    /// Every mistake among the declared needs of what is registered here and in the parents, before
    /// anything is made.
    ///
    /// - A need that nobody provides, or that several modules provide of which none is chosen.
    /// - Needs that go round in a circle. Not those that are asked for later, and not through
    ///   factories with runtime arguments.
    /// - A need that a shared object, or one of a scope of one's own, keeps and that is transient, of
    ///   the graph scope, or of another scope of one's own. Not if it is declared as its own, and not
    ///   with runtime arguments.
    ///
    /// Only what is declared is known. Nothing is loaded.
    ///
    /// - Parameter isProvided: Whether something that is not registered yet will be there when it is
    ///   asked for.
    /// - Returns: In the order of modules and places, whatever the order of registration.
    package func validate(
        providing isProvided: @escaping (ServiceRequest) -> Bool = { _ in false }
    ) -> [ValidationProblem] {
        Validation(self, isProvided: isProvided).problems
    }
}
