// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// A container's registrations as data. The same registrations give the same data, in whatever order
/// they were registered.
package struct ContainerDump: Hashable, Sendable, CustomStringConvertible {
    package struct Entry: Hashable, Sendable {
        package let service: String
        package let name: String?
        package let arguments: [String]
        package let scope: String
        /// The id of the module that registered it; `nil` for the host itself.
        package let module: String?
        package let place: String
        /// Whether the scope keeps an instance, and it exists.
        package let isMade: Bool
        /// Whether another module is chosen, so that only `resolveAll` finds this one.
        package let isAlternative: Bool
        /// The service that answers in its place, if it is forwarded.
        package let target: String?
        /// Its decorators, innermost first, each as module and place.
        package let decorators: [String]
    }

    /// In the order of service, name, arguments, place and module.
    package let entries: [Entry]

    init(_ registrations: [Registration]) {
        entries = registrations.map(Entry.init)
            .sorted { $0.order.lexicographicallyPrecedes($1.order) }
    }

    package var description: String {
        entries.map(\.description).joined(separator: "\n")
    }
}

extension ContainerDump.Entry: CustomStringConvertible {
    fileprivate init(_ registration: Registration) {
        service = registration.request.qualifiedService
        name = registration.request.name
        arguments = registration.request.arguments
        scope = registration.scope.name
        module = registration.module
        place = registration.place.description
        isMade = registration.isCreated || registration.traits.awaitedFactory?.isCreated ?? false
        isAlternative = registration.traits.isAlternative
        target = registration.traits.target?.request.description
        decorators = registration.decorators.map { "\($0.module ?? "host"), \($0.place)" }
    }

    fileprivate var order: [String] {
        [service, name ?? "", arguments.joined(separator: ","), place, module ?? ""]
    }

    /// The registration in one line, such as `App.Users named 'admin', shared, made (users, Users/Module.swift:8)`.
    package var description: String {
        let types = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
        let label = name.map { " named '\($0)'" } ?? ""
        var state = target.map { ", forwarded to \($0)" } ?? ", \(scope)"
        if isMade { state += ", made" }
        if isAlternative { state += ", not chosen" }
        state += decorators.map { ", decorated (\($0))" }.joined()
        return "\(service)\(types)\(label)\(state) (\(module ?? "host"), \(place))"
    }
}
