// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// What a registration has beside its factory. Most have nothing of it, and then it is nothing to make
/// or to copy.
@dynamicMemberLookup
struct RegistrationTraits: Sendable {
    /// `nil` if there is nothing.
    private var content: Content?

    init(needs: [ServiceNeed] = [], awaited: (any Awaited)? = nil) {
        if needs.isEmpty, awaited == nil { return }
        content = Content(Values(needs: needs, awaited: awaited))
    }

    struct Values: Sendable {
        /// What the factory asks for, as it declares.
        var needs: [ServiceNeed] = []
        /// The types of the runtime arguments, in order.
        var arguments: [ObjectIdentifier] = []
        /// What answers in its place.
        var target: ServiceNeed?
        /// Whether it is completed after it was made.
        var isCompleted = false
        /// Whether somebody is told when it was made.
        var isObserved = false
        /// Whether another module is chosen for the service, so that only those see it who ask for all.
        var isAlternative = false
        /// Whether it keeps its place when modules register the same key later.
        var isOverriding = false
        /// What it decorates, and with what.
        var layer: Layer?
        /// How it is made, if `resolve` cannot make it.
        var awaited: (any Awaited)?
    }

    /// What a decorated registration stands on.
    struct Layer: Sendable {
        let inner: Registration
        let decorator: Decorator
    }

    private final class Content: Sendable {
        let values: Values

        init(_ values: Values) {
            self.values = values
        }
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<Values, Value>) -> Value {
        get { (content?.values ?? Values())[keyPath: path] }
        set {
            var values = content?.values ?? Values()
            values[keyPath: path] = newValue
            content = Content(values)
        }
    }

    /// Whether there is nothing else to do than to call the factory.
    var isPlain: Bool {
        guard let values = content?.values else { return true }
        return !values.isCompleted && !values.isObserved
    }

    /// Whether `resolve` cannot make it.
    var isAwaited: Bool { content?.values.awaited != nil }
}
