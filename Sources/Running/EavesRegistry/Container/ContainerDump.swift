// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
package import EavesJSON

/// A container's registrations as data. The same registrations give the same data, in whatever order
/// they were registered.
package struct ContainerDump: Hashable, Sendable, Encodable {
    /// A registration.
    package struct Entry: Hashable, Sendable, Encodable {
        /// The service's name with its module.
        package let service: String
        /// The name it is registered under, if any.
        package let name: String?
        /// The types of the runtime arguments, in order.
        package let arguments: [String]
        /// The scope's name.
        package let scope: String
        /// The id of the module that registered it; `nil` for the host itself.
        package let module: String?
        /// File and line of the registration.
        package let place: String
        /// Whether the scope keeps an instance, and it exists.
        package let isMade: Bool
        /// Whether another module is chosen, so that only `resolveAll` finds this one.
        package let isAlternative: Bool
        /// The service that answers in its place, if it is forwarded.
        package let target: String?
        /// The needs that it declares, in its order.
        package let needs: [String]
        /// Its decorators, innermost first, each as module and place.
        package let decorators: [String]
    }

    /// In the order of service, name, arguments, place and module.
    package let entries: [Entry]

    init(_ registrations: [Registration]) {
        entries = registrations.map(Entry.init)
            .sorted { $0.order.lexicographicallyPrecedes($1.order) }
    }
}

extension ContainerDump.Entry {
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
        needs =
            registration.traits.target == nil
            ? registration.traits.needs.map(\.request.description) : []
        decorators = registration.decorators.map { "\($0.module ?? "host"), \($0.place)" }
    }

    fileprivate var order: [String] {
        [service, name ?? "", arguments.joined(separator: ","), place, module ?? ""]
    }
}

extension ContainerDump: CustomStringConvertible {
    /// A line for each registration.
    package var description: String {
        entries.map(\.description).joined(separator: "\n")
    }
}

extension ContainerDump.Entry: CustomStringConvertible {
    /// The registration in one line, such as
    /// `App.Users named 'admin', shared, made (users, Users/Module.swift:8)`.
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

extension ContainerDump {
    /// The dump as one JSON object.
    package var json: JSON {
        ["schema": 1, "registrations": .array(entries.map(\.json))]
    }
}

extension ContainerDump.Entry {
    fileprivate var json: JSON {
        [
            "service": .string(service), "name": name.map(JSON.string) ?? .null,
            "arguments": .array(arguments.map(JSON.string)), "scope": .string(scope),
            "module": module.map(JSON.string) ?? .null, "place": .string(place),
            "isMade": .bool(isMade), "isAlternative": .bool(isAlternative),
            "target": target.map(JSON.string) ?? .null, "needs": .array(needs.map(JSON.string)),
            "decorators": .array(decorators.map(JSON.string)),
        ]
    }
}
