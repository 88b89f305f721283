// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// What a registration has beside its factory. Most have nothing of it.
struct RegistrationTraits: Sendable {
    init(needs: [ServiceNeed] = [], awaited: (any Awaited)? = nil) {
        self.needs = needs
        self.awaited = awaited
    }

    /// What the factory asks for, as it declares.
    var needs: [ServiceNeed] = []
    /// The types of the runtime arguments, in order.
    var arguments: [ObjectIdentifier] = []
    /// What answers in its place.
    var target: ServiceNeed? {
        get { targets.first }
        set { targets = newValue.map { [$0] } ?? [] }
    }
    /// At most one. Behind a reference: the interface's types are copied by the runtime's rules, and
    /// each registration has traits.
    private var targets: [ServiceNeed] = []
    /// Whether it is completed after it was made.
    var isCompleted = false
    /// Whether somebody is told when it was made.
    var isObserved = false
    /// Whether another module is chosen for the service, so that only those see it who ask for all.
    var isAlternative = false
    /// What it decorates, and with what.
    var layer: Layer?
    /// How it is made, if `resolve` cannot make it.
    var awaited: (any Awaited)?

    /// What a decorated registration stands on.
    struct Layer: Sendable {
        let inner: Registration
        let decorator: Decorator
    }

    /// Whether there is nothing else to do than to call the factory.
    var isPlain: Bool { !isCompleted && !isObserved }
}
