// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesManifest

/// The rule that tells which declarations are routes, ways from one screen to another.
///
/// An interface module declares a route as a protocol whose name ends in `Route`, such as `HomeRoute`; the
/// factory of the screen that it leads to is the protocol `HomeFactory` of the same interface. A module
/// declares a screen that links lead to, known only at run time, as a named `Destination` under `provides`.
enum RouteRule {
    private static let (route, factory) = ("Route", "Factory")

    static func isRoute(_ name: String) -> Bool {
        let word = ServiceName.word(name)
        return word.hasSuffix(route) && word != route
    }

    /// The factory that a route of this name leads to, if its interface has one.
    static func factory(of name: String) -> String? {
        isRoute(name) ? name.dropLast(route.count) + factory : nil
    }

    /// Whether a service can be the factory of a route.
    static func isFactory(_ name: String) -> Bool {
        let word = ServiceName.word(name)
        return word.hasSuffix(factory) && word != factory
    }

    /// The route that leads to a factory of this name, if its interface has one.
    static func route(to name: String) -> String? {
        isFactory(name) ? name.dropLast(factory.count) + route : nil
    }
}

extension Provision {
    /// Whether it is a screen that links can open by its name.
    var isRoute: Bool { name != nil && ServiceName.word(service) == "Destination" }
}

extension Wiring {
    /// Whether links can be opened: the manifest names the feature for that.
    var opensLinks: Bool { manifest.open != nil }
}
