// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// The traits that a few registrations have besides a factory.
///
/// Most registrations have none of it, and then creating or copying the traits allocates nothing.
@dynamicMemberLookup
struct RegistrationTraits: Sendable {
    /// `nil` if every value is the default.
    private var content: Content?

    init(needs: [ServiceNeed] = [], awaitedFactory: (any AwaitedFactory)? = nil) {
        if needs.isEmpty, awaitedFactory == nil { return }
        content = Content(Values(needs: needs, awaitedFactory: awaitedFactory))
    }

    struct Values: Sendable {
        var needs: [ServiceNeed] = []
        var arguments: [ObjectIdentifier] = []
        /// The service that answers instead of a factory.
        var target: ServiceNeed?
        /// Whether something runs after the factory to complete the instance.
        var completes = false
        /// Whether another module is chosen for the service, so that only `resolveAll` finds this one.
        var isAlternative = false
        /// Whether it stands for another registration, so that `resolveAll` does not give it, too.
        var isStandIn = false
        /// The act of overriding that keeps its place when modules register the same key later.
        var overriding: Overriding?
        /// The registration that answers where this is only an entry under which `resolveAll` finds it.
        var original: Registration?
        /// Whether that takes its place again when the host no longer overrides the key.
        var isYielding = false
        /// The registration that this one decorates, and the decorator.
        var decoration: Decoration?
        /// The factory that creates the service where `resolve` cannot.
        var awaitedFactory: (any AwaitedFactory)?
        /// The modules that share the calls, if this registration draws one of them each time.
        var callShares: CallShares?
    }

    struct Decoration: Sendable {
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

    // The runtime would make an object for each key path, and these are asked of each registration.

    var isDecorated: Bool { content?.values.decoration != nil }

    /// The registration that answers, if this is an entry for `resolveAll` alone.
    var base: Registration? { content?.values.original }

    var isForwarded: Bool { content?.values.target != nil }

    var shares: CallShares? { content?.values.callShares }

    var isCompleted: Bool { content?.values.completes ?? false }

    var isAwaited: Bool { content?.values.awaitedFactory != nil }
}
