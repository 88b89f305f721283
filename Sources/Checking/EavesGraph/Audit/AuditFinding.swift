// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
package import EavesJSON

/// Something in an application that is dead: nothing would change if it were gone.
package struct AuditFinding: Hashable, Sendable {
    /// The kinds of findings, in the order in which they are shown. Scripts rely on the names.
    package enum Kind: String, CaseIterable, Sendable {
        /// A module provides a service that is never asked for.
        case service
        /// A module declares that it requires a service, and its binary never refers to it.
        case need
        /// A service is bound to a module that does not provide it, is switched off, or is not there.
        case binding
        /// A share of a binding with weights has no effect.
        case weight
        /// No feature reaches a module.
        case module
        /// A route is never opened.
        case route
        /// A part of the manifest has no effect.
        case entry
        /// No module names an interface module.
        case interface
    }

    package let kind: Kind
    /// The file, and the place in it.
    package let place: String
    package let message: String
    /// The way to mend it, as an imperative.
    package let fix: String

    /// - Parameter fix: A text with commands as in `'eaves build'`; see ``CommandName``.
    init(kind: Kind, place: String, message: String, fix: String) {
        self.kind = kind
        self.place = place
        self.message = message
        self.fix = CommandName.current.applied(to: fix)
    }
}

extension AuditFinding.Kind {
    /// The heading above findings of this kind.
    package var heading: String {
        switch self {
        case .service: "services that are never needed"
        case .need: "needs that are never resolved"
        case .binding: "bindings to nothing"
        case .weight: "weights without effect"
        case .module: "modules that no feature reaches"
        case .route: "routes that are never opened"
        case .entry: "manifest entries without effect"
        case .interface: "interface modules that are never named"
        }
    }
}

extension AuditFinding {
    package var json: JSON {
        [
            "kind": .string(kind.rawValue), "place": .string(place), "message": .string(message),
            "fix": .string(fix),
        ]
    }
}
