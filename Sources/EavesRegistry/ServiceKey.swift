// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What a registration is found by: the service's type, its name, and the types of its arguments.
///
/// Types are compared by identity, so two protocols of the same name never meet.
struct ServiceKey: Hashable, Sendable {
    let service: ObjectIdentifier
    let name: String?
    let arguments: ObjectIdentifier

    /// - Parameters:
    ///   - service: The service's type.
    ///   - name: The name it is registered under, if any.
    ///   - arguments: The tuple of the argument types.
    init(_ service: Any.Type, name: String?, arguments: Any.Type = Void.self) {
        self.service = ObjectIdentifier(service)
        self.name = name
        self.arguments = ObjectIdentifier(arguments)
    }
}
